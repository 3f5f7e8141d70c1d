// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Put before every file that mingw-w64 compiles: plain strings are paths in UTF-8, as they are on
// other systems. libstdc++ writes paths as UTF-8, but reads them byte by byte. What is no UTF-8 is
// the name of no file.
#pragma once

#ifdef __cplusplus
#include <filesystem>
#include <string>
#include <string_view>

template <>
inline auto std::filesystem::path::_S_convert<char>(const char* first, const char* last) {
  const std::string_view text(first, static_cast<std::size_t>(last - first));
  try {
    return __detail::__wstr_from_utf8(text);
  } catch (const std::filesystem::filesystem_error&) {
    std::wstring wide;
    for (const char c : text) wide += static_cast<unsigned char>(c) < 0x80 ? c : L'\xFFFD';
    return wide;
  }
}
#endif
