// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/name_words.h"

#include <algorithm>

namespace clipmill {
namespace {

enum class Letter { kNone, kLower, kUpper, kDigit, kForeign };

Letter kindOf(char c) {
  if (c >= 'a' && c <= 'z') return Letter::kLower;
  if (c >= 'A' && c <= 'Z') return Letter::kUpper;
  if (c >= '0' && c <= '9') return Letter::kDigit;
  return static_cast<unsigned char>(c) >= 0x80 ? Letter::kForeign : Letter::kNone;
}

// U+FF01..U+FF5E, the full-width forms of '!' to '~', as those; all else as it is.
std::string withPlainWidth(std::string_view name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(name[at]); };
    const bool is_wide = i + 2 < name.size() && byte(i) == 0xEF &&
                         ((byte(i + 1) == 0xBC && byte(i + 2) >= 0x81 && byte(i + 2) <= 0xBF) ||
                          (byte(i + 1) == 0xBD && byte(i + 2) >= 0x80 && byte(i + 2) <= 0x9E));
    if (!is_wide) {
      plain += name[i];
      continue;
    }
    const int code = (byte(i + 1) - 0xBC) * 64 + (byte(i + 2) - 0x80);  // from U+FF00
    plain += static_cast<char>(code + 0x20);
    i += 2;
  }
  return plain;
}

// Whether a new word begins between the letters at `i` - 1 and `i`.
bool beginsWord(std::string_view name, std::size_t i) {
  const Letter before = kindOf(name[i - 1]), here = kindOf(name[i]);
  if (before == here) {
    // In a run of capitals the last one belongs to the word that follows: "LHip".
    return here == Letter::kUpper && i + 1 < name.size() && kindOf(name[i + 1]) == Letter::kLower;
  }
  return !(before == Letter::kUpper && here == Letter::kLower);
}

}  // namespace

bool isNumberWord(std::string_view word) {
  return !word.empty() && kindOf(word.front()) == Letter::kDigit;
}

std::vector<std::string> wordsOfName(std::string_view name) {
  const std::string plain = withPlainWidth(name);
  std::vector<std::string> words;
  bool in_word = false;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const Letter kind = kindOf(plain[i]);
    if (kind == Letter::kNone) {
      in_word = false;
      continue;
    }
    if (!in_word || beginsWord(plain, i)) words.emplace_back();
    words.back() += kind == Letter::kUpper ? static_cast<char>(plain[i] - 'A' + 'a') : plain[i];
    in_word = true;
  }
  return words;
}

}  // namespace clipmill
