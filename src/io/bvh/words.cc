// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/bvh/words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"

namespace clipmill::bvh {
namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool isBrace(char c) { return c == '{' || c == '}'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

void Words::skipSpace() {
  for (; at_ < text_.size() && isSpace(text_[at_]); ++at_) {
    if (text_[at_] == '\n') ++line_;
  }
}

std::string_view Words::next() {
  skipSpace();
  const std::size_t begin = at_;
  if (at_ < text_.size() && isBrace(text_[at_])) return text_.substr(at_++, 1);
  while (at_ < text_.size() && !isSpace(text_[at_]) && !isBrace(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view Words::restOfLine() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '{') ++at_;
  return trimmed(text_.substr(begin, at_ - begin));
}

Result<double> Words::number() {
  const std::string_view word = next();
  const auto value = parseNumber(word);
  if (!value || !std::isfinite(*value)) {
    return fault(word.empty() ? "ends where a number should stand"
                              : "has '" + std::string(word) + "' where a number should stand");
  }
  return *value;
}

Status Words::expect(std::string_view word) {
  const std::string_view found = next();
  if (isWord(found, word)) return {};
  return fault(found.empty()
                   ? "ends where '" + std::string(word) + "' should stand"
                   : "has '" + std::string(found) + "' where '" + std::string(word) + "' belongs");
}

Error Words::fault(std::string message) const {
  return {ErrorCode::kMalformed, "line " + std::to_string(line_), std::move(message), ""};
}

bool isWord(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace clipmill::bvh
