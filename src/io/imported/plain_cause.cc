// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/imported/plain_cause.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/text.h"

namespace clipmill::io::imported {
namespace {

constexpr std::size_t kMostBytes = 200;
constexpr std::string_view kCodeTokens[] = {"::", "->", "()",     "ssimp", "std",  "Validation",
                                            "0x", "_t", "vector", "mNum",  "alloc"};

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool isCapital(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

// "aiScene", "mMeshes": a small letter or two, then a capital, at the start of a word.
bool hasMemberName(std::string_view text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (i > 0 && isLetter(text[i - 1])) continue;
    const bool is_type = text[i] == 'a' && text[i + 1] == 'i' && isCapital(text[i + 2]);
    const bool is_member = text[i] == 'm' && isCapital(text[i + 1]);
    if (is_type || is_member) return true;
  }
  return false;
}

}  // namespace

std::string plainCause(std::string_view message) {
  std::string_view line = message.substr(0, message.find_first_of("\r\n"));
  while (!line.empty() && (line.back() == '.' || line.back() == ' ' || line.back() == '!')) {
    line.remove_suffix(1);
  }
  const bool names_code =
      hasMemberName(line) ||
      std::any_of(std::begin(kCodeTokens), std::end(kCodeTokens),
                  [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
  return names_code ? std::string() : printable(line, kMostBytes);
}

}  // namespace clipmill::io::imported
