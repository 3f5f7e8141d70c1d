// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "progress.h"

#include <algorithm>
#include <cstdio>

#include "core/system.h"

namespace clipmill::cli {
namespace {

bool isBar(const std::string& mode, bool quiet) {
  return !quiet && (mode == "bar" || (mode == "auto" && system::isStderrTerminal()));
}

// "merge [#####.....] 12 of 60", or only the step where it has one part.
std::string barOf(std::string_view step, std::size_t done, std::size_t total) {
  std::string text(step);
  if (total <= 1) return text + " ..";
  constexpr std::size_t kCells = 20;
  const std::size_t full = std::min(kCells, kCells * done / total);
  return text + " [" + std::string(full, '#') + std::string(kCells - full, '.') + "] " +
         std::to_string(done) + " of " + std::to_string(total);
}

}  // namespace

void addProgressOption(CLI::App& command, std::string& mode) {
  command
      .add_option("--progress", mode,
                  "progress on standard error; auto = bar on a terminal, else none")
      ->check(CLI::IsMember({"auto", "bar", "plain", "json", "off"}))
      ->capture_default_str();
}

pipeline::ProgressCallback progressOf(const std::string& mode, bool quiet) {
  if (isBar(mode, quiet)) {
    return [](std::string_view step, std::size_t done, std::size_t total) {
      std::fprintf(stderr, "\r\033[K%s", barOf(step, done, total).c_str());
      std::fflush(stderr);
    };
  }
  if (mode == "plain" && !quiet) {
    return [](std::string_view step, std::size_t done, std::size_t total) {
      const std::string count =
          total > 1 ? " " + std::to_string(done) + " of " + std::to_string(total) : "";
      std::fprintf(stderr, "%.*s%s\n", static_cast<int>(step.size()), step.data(), count.c_str());
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
