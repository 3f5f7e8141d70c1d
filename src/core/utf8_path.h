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

/// The path as text in UTF-8, with slashes between its parts, as on every other system.
inline std::string utf8Text(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

/// The same path with slashes between its parts, which every system takes. Windows joins paths with
/// backslashes; messages, records and make rules spell a file alike on all systems.
inline std::filesystem::path withSlashes(const std::filesystem::path& path) {
  return path.generic_u8string();
}

}  // namespace clipmill
