// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/bvh/tokens.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"

namespace clipmill::io::bvh {
namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool isBrace(char c) { return c == '{' || c == '}'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

void Tokens::skipSpace() {
  for (; at_ < text_.size() && isSpace(text_[at_]); ++at_) {
    if (text_[at_] == '\n') ++line_;
  }
}

std::string_view Tokens::next() {
  skipSpace();
  const std::size_t start = at_;
  if (at_ < text_.size() && isBrace(text_[at_])) return text_.substr(at_++, 1);
  while (at_ < text_.size() && !isSpace(text_[at_]) && !isBrace(text_[at_])) ++at_;
  return text_.substr(start, at_ - start);
}

std::string_view Tokens::restOfLine() {
  const std::size_t start = at_;
  while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '{') ++at_;
  return trimmed(text_.substr(start, at_ - start));
}

Result<double> Tokens::number() {
  const std::string_view token = next();
  const auto value = parseNumber(token);
  if (!value || !std::isfinite(*value)) {
    return fault(token.empty() ? "ends where a number is expected"
                               : "has '" + std::string(token) + "' where a number is expected");
  }
  return *value;
}

Status Tokens::expect(std::string_view token) {
  const std::string_view found = next();
  if (equalsIgnoringCase(found, token)) return {};
  return fault(found.empty() ? "ends where '" + std::string(token) + "' is expected"
                             : "has '" + std::string(found) + "' where '" + std::string(token) +
                                   "' is expected");
}

Error Tokens::fault(std::string message) const {
  return {ErrorCode::kMalformed, "line " + std::to_string(line_), std::move(message), ""};
}

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace clipmill::io::bvh
