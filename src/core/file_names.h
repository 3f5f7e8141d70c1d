// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clipmill {

/// Bytes of the first character of a text that is not empty; 0 where it is no UTF-8 (RFC 3629).
std::size_t utf8Length(std::string_view text);

/// `text` as a part of a file name on any common system: '_' replaces each control character,
/// each of / \ : * ? " < > |, each dot and blank at the end, and each byte that is no UTF-8. All
/// other characters stay.
std::string fitForFileName(std::string_view text);

/// The name of a file or a folder, with '_' behind its first part where Windows keeps that for a
/// device, in any case: CON, PRN, AUX, NUL, COM0 to COM9, LPT0 to LPT9, CONIN$, CONOUT$.
/// "nul.glb" becomes "nul_.glb". Source: "Naming Files, Paths, and Namespaces", Windows
/// documentation.
std::string withoutDeviceName(std::string_view name);

/// `text` with small letters for Latin, Greek and Cyrillic capitals: names that are the same then
/// can be one file on systems that ignore case.
std::string smallLetters(std::string_view text);

/// Whether `name` is a normalised relative path of a file in a folder or below it.
bool isPlainName(const std::string& name);

}  // namespace clipmill
