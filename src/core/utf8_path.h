// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace clipmill {

/// The path that a text in UTF-8 spells. On Windows std::filesystem takes a plain string for text
/// in the old code page.
inline std::filesystem::path utf8Path(std::string_view text) {
  const auto* first = reinterpret_cast<const char8_t*>(text.data());
  return std::filesystem::path(first, first + text.size());
}

/// The path as text in UTF-8, with the separators of the system.
inline std::string utf8Text(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

}  // namespace clipmill
