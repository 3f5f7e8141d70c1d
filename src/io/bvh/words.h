// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"

namespace clipmill::bvh {

/// The words of a text one after another, and the line that each stands in. Braces are words of
/// their own.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// The next word; empty at the end of the text.
  std::string_view next();
  /// The rest of the line, trimmed, without an opening brace and what follows it.
  std::string_view restOfLine();
  /// The next word as a finite number.
  Result<double> number();
  /// Refuses a next word that is not `word`, whatever its case.
  Status expect(std::string_view word);

  std::size_t bytesLeft() const { return text_.size() - at_; }
  /// kMalformed at the line of the last word.
  Error fault(std::string message) const;

 private:
  void skipSpace();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// Equal but for the case of ASCII letters.
bool isWord(std::string_view a, std::string_view b);

}  // namespace clipmill::bvh
