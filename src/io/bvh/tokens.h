// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"

namespace clipmill::io::bvh {

/// Splits a text into tokens and counts its lines. Braces are separate tokens.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  /// The next token; empty at the end of the text.
  std::string_view next();
  /// The rest of the line, trimmed, without an opening brace and what follows it.
  std::string_view restOfLine();
  /// The next token as a finite number.
  Result<double> number();
  /// Error unless the next token is `token`, ignoring case.
  Status expect(std::string_view token);

  std::size_t bytesLeft() const { return text_.size() - at_; }
  /// kMalformed at the line of the last token.
  Error fault(std::string message) const;

 private:
  void skipSpace();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// Equality, ignoring the case of ASCII letters.
bool equalsIgnoringCase(std::string_view a, std::string_view b);

}  // namespace clipmill::io::bvh
