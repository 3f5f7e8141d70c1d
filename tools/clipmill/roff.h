// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace clipmill::cli {

/// The text for a manual page: nothing in it is read as a roff request, and its dashes
/// can be copied into a shell.
std::string roffText(std::string_view text);
/// The same in bold, and as a word to be replaced.
std::string roffBold(std::string_view text);
std::string roffItalic(std::string_view text);

/// A manual page in the macros of man(7). Titles are plain text; what else is given is roff, as the
/// functions above make it.
class RoffPage {
 public:
  RoffPage(std::string_view name, std::string_view date, std::string_view version);

  void section(std::string_view title);
  void subsection(std::string_view title);
  void paragraph(const std::string& roff);
  /// A term, and what it means beside or below it.
  void item(const std::string& term, const std::string& meaning);
  /// Lines that are kept as they are.
  void example(std::string_view lines);

  const std::string& text() const { return text_; }

 private:
  void line(const std::string& roff);

  std::string text_;
  bool is_at_title_ = false;  // where a new paragraph starts without being asked for
};

}  // namespace clipmill::cli
