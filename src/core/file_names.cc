// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/file_names.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace clipmill {
namespace {

// `character` is one character in UTF-8.
char32_t codeOf(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t code = first & (0xffu >> (character.size() + 1));
  for (char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  return code;
}

void appendUtf8(char32_t code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const unsigned mark = 0xff00u >> (more + 1) & 0xffu;  // as many leading ones as there are bytes
  text += static_cast<char>(mark | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (code >> (6 * i) & 0x3f));
}

bool isForbidden(char32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  return code < 0x80 &&
         std::string_view("/\\:*?\"<>|").find(static_cast<char>(code)) != std::string_view::npos;
}

// The simple case mappings of the Unicode Character Database for capitals in regular rows.
char32_t smallLetter(char32_t c) {
  const auto isIn = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  if (isIn('A', 'Z')) return c + 32;
  if (isIn(0xc0, 0xde) && c != 0xd7) return c + 32;
  // In pairs, the capital first and even.
  const bool is_even_pair = (isIn(0x100, 0x137) && c != 0x130 && c != 0x131) ||
                            isIn(0x14a, 0x177) || isIn(0x1e00, 0x1e95) || isIn(0x1ea0, 0x1eff) ||
                            isIn(0x460, 0x481) || isIn(0x48a, 0x4bf) || isIn(0x4d0, 0x52f);
  if (is_even_pair) return c | 1;
  const bool is_odd_pair = isIn(0x139, 0x148) || isIn(0x179, 0x17e);
  if (is_odd_pair) return c + (c & 1);
  if (isIn(0x391, 0x3ab) && c != 0x3a2) return c + 32;
  if (isIn(0x410, 0x42f)) return c + 32;
  if (isIn(0x400, 0x40f)) return c + 80;
  if (isIn(0xff21, 0xff3a)) return c + 32;  // full-width Latin
  return c;
}

}  // namespace

std::size_t utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // No longer than need be, no surrogate, and none beyond U+10FFFF.
  const bool is_bad = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) > 0x9F) ||
                      (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) > 0x8F);
  return is_bad ? 0 : length;
}

std::string fitForFileName(std::string_view text) {
  std::string name;
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || isForbidden(codeOf(character))) {
      name += '_';
    } else {
      name += character;
    }
    text.remove_prefix(character.size());
  }
  for (std::size_t i = name.size(); i-- > 0 && (name[i] == '.' || name[i] == ' ');) name[i] = '_';
  return name;
}

std::string withoutDeviceName(std::string_view name) {
  std::string_view device = name.substr(0, std::min(name.find('.'), name.size()));
  while (device.ends_with(' ')) device.remove_suffix(1);
  const std::string small = smallLetters(device);
  static constexpr std::string_view kDevices[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
  bool is_device = std::find(std::begin(kDevices), std::end(kDevices), small) != std::end(kDevices);
  if (small.starts_with("com") || small.starts_with("lpt")) {
    const std::string_view number = std::string_view(small).substr(3);
    // The superscripts count as digits.
    is_device = (number.size() == 1 && number[0] >= '0' && number[0] <= '9') ||
                number == "\xc2\xb9" || number == "\xc2\xb2" || number == "\xc2\xb3";
  }
  std::string other(name);
  if (is_device) other.insert(device.size(), "_");
  return other;
}

std::string smallLetters(std::string_view text) {
  std::string small;
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) {
      small += character;
    } else {
      appendUtf8(smallLetter(codeOf(character)), small);
    }
    text.remove_prefix(character.size());
  }
  return small;
}

bool isPlainName(const std::string& name) {
  const std::filesystem::path path(name);
  return !path.empty() && path.is_relative() && path.has_filename() && *path.begin() != ".." &&
         path.lexically_normal().generic_string() == name && name != ".";
}

}  // namespace clipmill
