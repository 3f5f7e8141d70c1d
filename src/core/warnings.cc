// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/warnings.h"

#include <algorithm>

namespace clipmill {

void Warnings::add(std::string_view code, std::string_view text, std::string_view location,
                   std::size_t count) {
  auto same = std::find_if(all_.begin(), all_.end(),
                           [&](const Warning& warning) { return warning.code == code; });
  if (same != all_.end()) {
    same->count += count;
    return;
  }
  all_.push_back({std::string(code), std::string(text), count, std::string(location)});
}

void Warnings::merge(const Warnings& other) {
  for (const Warning& warning : other.all_) {
    add(warning.code, warning.text, warning.first, warning.count);
  }
}

std::size_t Warnings::count(std::string_view code) const {
  for (const Warning& warning : all_) {
    if (warning.code == code) return warning.count;
  }
  return 0;
}

}  // namespace clipmill
