// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The macros and escapes are those of groff_man(7) and groff_char(7).
#include "roff.h"

#include "core/text.h"

namespace clipmill::cli {

std::string roffText(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    switch (c) {
      case '\\':
        roff += "\\(rs";
        break;
      case '-':
        roff += "\\-";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      case '"':
        roff += "\\(dq";
        break;
      default:
        roff += c;
    }
  }
  return roff;
}

std::string roffBold(std::string_view text) { return "\\fB" + roffText(text) + "\\fP"; }

std::string roffItalic(std::string_view text) { return "\\fI" + roffText(text) + "\\fP"; }

RoffPage::RoffPage(std::string_view name, std::string_view date, std::string_view version) {
  text_ = ".TH " + std::string(name) + " 1 \"" + std::string(date) + "\" \"" +
          std::string(version) + "\" \"User Commands\"\n";
}

void RoffPage::section(std::string_view title) {
  text_ += ".SH " + roffText(title) + "\n";
  is_at_title_ = true;
}

void RoffPage::subsection(std::string_view title) {
  text_ += ".SS " + roffText(title) + "\n";
  is_at_title_ = true;
}

void RoffPage::paragraph(const std::string& roff) {
  if (!is_at_title_) text_ += ".PP\n";
  line(roff);
}

void RoffPage::item(const std::string& term, const std::string& meaning) {
  text_ += ".TP\n";
  line(term);
  line(meaning);
}

void RoffPage::example(std::string_view lines) {
  text_ += is_at_title_ ? ".nf\n.RS 4\n" : ".PP\n.nf\n.RS 4\n";
  for (const std::string_view one : splitText(lines, '\n')) line(roffText(one));
  text_ += ".RE\n.fi\n";
}

// A point at the start of a line would make it a request.
void RoffPage::line(const std::string& roff) {
  text_ += (roff.starts_with('.') ? "\\&" : "") + roff + "\n";
  is_at_title_ = false;
}

}  // namespace clipmill::cli
