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
// Parts of code wherever they are, and whole tokens of it.
constexpr std::string_view kCodeParts[] = {"::", "->", "()", "ssimp"};
constexpr std::string_view kCodeTokens[] = {"std", "Validation", "vector", "alloc", "bad_alloc"};

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool isOfWord(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }
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

// "size_t", "0x7f": a word that ends or starts as only code does.
bool isCodeToken(std::string_view word) {
  return word.ends_with("_t") || word.starts_with("0x") ||
         std::find(std::begin(kCodeTokens), std::end(kCodeTokens), word) != std::end(kCodeTokens);
}

bool namesCode(std::string_view line) {
  for (std::string_view part : kCodeParts) {
    if (line.find(part) != std::string_view::npos) return true;
  }
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && isOfWord(line[end])) ++end;
    if (isCodeToken(line.substr(i, end - i))) return true;
    i = end + 1;
  }
  return hasMemberName(line);
}

}  // namespace

std::string plainCause(std::string_view message) {
  std::string_view line = message.substr(0, message.find_first_of("\r\n"));
  while (!line.empty() && (line.back() == '.' || line.back() == ' ' || line.back() == '!')) {
    line.remove_suffix(1);
  }
  return namesCode(line) ? std::string() : printable(line, kMostBytes);
}

}  // namespace clipmill::io::imported
