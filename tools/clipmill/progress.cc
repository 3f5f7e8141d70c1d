// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "progress.h"

#include <cstdio>

#include "core/system.h"

namespace clipmill::cli {
namespace {

bool isBar(const std::string& mode, bool quiet) {
  return !quiet && (mode == "bar" || (mode == "auto" && system::isStderrTerminal()));
}

}  // namespace

pipeline::ProgressCallback progressOf(const std::string& mode, bool quiet) {
  if (isBar(mode, quiet)) {
    return [](std::string_view step, std::size_t, std::size_t) {
      std::fprintf(stderr, "\r\033[K%.*s ..", static_cast<int>(step.size()), step.data());
      std::fflush(stderr);
    };
  }
  if (mode == "plain" && !quiet) {
    return [](std::string_view step, std::size_t, std::size_t) {
      std::fprintf(stderr, "%.*s\n", static_cast<int>(step.size()), step.data());
    };
  }
  if (mode == "json") {
    return [](std::string_view step, std::size_t done, std::size_t total) {
      std::fprintf(stderr, "{\"step\":\"%.*s\",\"done\":%zu,\"total\":%zu}\n",
                   static_cast<int>(step.size()), step.data(), done, total);
    };
  }
  return {};
}

void endProgress(const std::string& mode, bool quiet) {
  if (isBar(mode, quiet)) std::fprintf(stderr, "\r\033[K");
}

}  // namespace clipmill::cli
