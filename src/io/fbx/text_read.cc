// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Line ends mean nothing in text FBX: a list of values continues after a comma on any line, and a
// colon marks the token before it as a name.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/float_text.h"
#include "core/text.h"
#include "core/to_size.h"
#include "io/fbx/tree_read.h"

namespace clipmill::io::fbx {
namespace {

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

bool endsToken(char c) {
  return isBlank(c) || c == ',' || c == ':' || c == ';' || c == '{' || c == '}' || c == '"' ||
         c == '*';
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool startsWith(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(),
                                                  [](char a, char b) { return a == lower(b); });
}

// NaN and infinity as the C libraries of the writers spell them: nan, -nan(ind), inf, 1.#QNAN,
// -1.#IND, 1.#INF, with zeros behind where a precision was asked for.
std::optional<double> oddNumber(std::string_view token) {
  const bool is_negative = token.starts_with('-');
  if (is_negative || token.starts_with('+')) token.remove_prefix(1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double infinity = is_negative ? -kInfinity : kInfinity;
  if (startsWith(token, "nan") && (token.size() == 3 || token[3] == '('))
    return std::numeric_limits<double>::quiet_NaN();
  if (startsWith(token, "inf") && (token.size() == 3 || startsWith(token, "infinity")))
    return infinity;
  if (const auto mark = token.find(".#"); mark != std::string_view::npos && mark > 0) {
    const std::string_view kind = token.substr(mark + 2);
    if (startsWith(kind, "inf")) return infinity;
    if (startsWith(kind, "ind") || startsWith(kind, "qnan") || startsWith(kind, "snan"))
      return std::numeric_limits<double>::quiet_NaN();
  }
  return std::nullopt;
}

std::optional<double> plainNumber(std::string_view token) {
  if (token.starts_with('+')) token.remove_prefix(1);
  if (token.empty() || lower(token.back()) == 'n' || lower(token.back()) == 'f') return {};
  double number = 0.0;
  const auto done = readFloat(token, number);
  if (done.ptr != token.data() + token.size()) return std::nullopt;
  if (done.ec == std::errc::result_out_of_range) {
    const bool is_tiny =
        token.find("e-") != std::string_view::npos || token.find("E-") != std::string_view::npos;
    number = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return token.starts_with('-') ? -number : number;
  }
  if (done.ec != std::errc()) return std::nullopt;
  return number;
}

class TextReader {
 public:
  explicit TextReader(TreeBuilder& builder) : builder_(builder), text_(asText(builder.source())) {}

  Status readAll() {
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
    while (true) {
      position_ = skipBlanks(text_, position_);
      if (position_ == text_.size()) break;
      if (text_[position_] == '}') {
        CLIPMILL_CHECK(close());
      } else {
        CLIPMILL_CHECK(readElement());
      }
    }
    if (open_.empty()) return {};
    return malformed(builder_.record(open_.back()).start, "a bracket is not closed");
  }

 private:
  Error fault(ErrorCode code, std::size_t position, const std::string& message) const {
    const auto line = std::count(text_.begin(), text_.begin() + position, '\n') + 1;
    return {code, "line " + std::to_string(line), message, ""};
  }
  Error malformed(std::size_t position, const std::string& message) const {
    return fault(ErrorCode::kMalformed, position, message);
  }

  Status close() {
    if (open_.empty()) return malformed(position_, "a closing bracket has no opening bracket");
    Tree::Record& record = builder_.record(open_.back());
    record.end = ++position_;
    record.subtree_end = builder_.recordCount();
    open_.pop_back();
    return {};
  }

  Status readElement() {
    Tree::Record record;
    record.start = record.name_offset = position_;
    const std::string_view name = tokenAt(text_, position_);
    position_ += name.size();
    if (name.empty() || position_ == text_.size() || text_[position_] != ':') {
      return malformed(record.start, "'" + printable(text_.substr(record.start, 20), 20) +
                                         "' where a name with a colon is expected");
    }
    record.name_size = static_cast<std::uint32_t>(name.size());
    record.values_start = record.values_end = ++position_;
    record.first_value = builder_.valueCount();
    CLIPMILL_CHECK(readValues(record));
    record.value_count = builder_.valueCount() - record.first_value;
    record.subtree_end = builder_.recordCount() + 1;
    const std::size_t next = skipBlanks(text_, position_);
    record.has_block = next < text_.size() && text_[next] == '{';
    record.end = record.values_end;
    CLIPMILL_CHECK(builder_.add(record));
    if (!record.has_block) return {};
    if (open_.size() >= toSize(builder_.maxDepth())) {
      return fault(
          ErrorCode::kLimit, record.start,
          "brackets are nested more than " + std::to_string(builder_.maxDepth()) + " levels");
    }
    position_ = next + 1;
    open_.push_back(builder_.recordCount() - 1);
    return {};
  }

  // Reads the values behind a name; stops at a bracket or before the next name.
  Status readValues(Tree::Record& record) {
    bool is_after_value = false;
    while (true) {
      const std::size_t start = skipBlanks(text_, position_);
      if (start == text_.size()) break;
      const char c = text_[start];
      if (c == ',') {
        // Nothing before a comma is a value too, so that those behind it keep their numbers.
        if (!is_after_value) CLIPMILL_CHECK(addPositioned(ValueType::kWord, start, 0));
        is_after_value = false;
        record.values_end = position_ = start + 1;
        continue;
      }
      if (is_after_value || c == '{' || c == '}') break;
      if (c == '"') {
        CLIPMILL_CHECK(readString(start));
      } else if (c == '*') {
        CLIPMILL_CHECK(readNumberText(start));
      } else {
        const std::string_view token = tokenAt(text_, start);
        const std::size_t end = start + token.size();
        if (token.empty() || (end < text_.size() && text_[end] == ':')) break;
        Value value = tokenValue(token);
        if (value.type == ValueType::kWord) {
          CLIPMILL_CHECK(addPositioned(ValueType::kWord, start, token.size()));
        } else {
          CLIPMILL_CHECK(builder_.add(value));
        }
        position_ = end;
      }
      is_after_value = true;
      record.values_end = position_;
    }
    position_ = record.values_end;
    return {};
  }

  Status addPositioned(ValueType type, std::size_t offset, std::size_t size) {
    Value value;
    value.type = type;
    value.offset = offset;
    value.size = static_cast<std::uint32_t>(size);
    return builder_.add(value);
  }

  Status readString(std::size_t quote) {
    const std::size_t end = text_.find('"', quote + 1);
    if (end == std::string_view::npos) return malformed(quote, "a string is not closed");
    position_ = end + 1;
    return addPositioned(ValueType::kString, quote + 1, end - quote - 1);
  }

  Status readNumberText(std::size_t asterisk) {
    const auto numbers = numberTextStart(text_.substr(asterisk));
    if (!numbers) return malformed(asterisk, "an array does not have the form *N { a: .. }");
    std::size_t position = asterisk + *numbers;
    std::uint64_t commas = 0;
    while (position < text_.size() && text_[position] != '}') {
      const char c = text_[position];
      if (c == ';') {
        position = skipBlanks(text_, position);
        continue;
      }
      if (c == '{' || c == ':' || c == '"')
        return malformed(position, "an array has values that are not numbers");
      commas += c == ',' ? 1 : 0;
      ++position;
    }
    if (position == text_.size()) return malformed(asterisk, "an array is not closed");
    CLIPMILL_CHECK(builder_.claimNumbers(commas + 1));
    position_ = position + 1;
    return addPositioned(ValueType::kNumberText, asterisk, position_ - asterisk);
  }

  TreeBuilder& builder_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<std::uint32_t> open_;
};

}  // namespace

std::string_view tokenAt(std::string_view text, std::size_t position) {
  std::size_t end = position;
  while (end < text.size() && !endsToken(text[end])) ++end;
  return text.substr(position, end - position);
}

std::size_t skipBlanks(std::string_view text, std::size_t position) {
  while (position < text.size()) {
    if (text[position] == ';') {
      position = std::min(text.find('\n', position), text.size());
    } else if (isBlank(text[position])) {
      ++position;
    } else {
      break;
    }
  }
  return position;
}

std::optional<std::size_t> numberTextStart(std::string_view text) {
  const std::size_t count_end = 1 + tokenAt(text, 1).size();
  const std::size_t brace = skipBlanks(text, count_end);
  if (count_end == 1 || brace >= text.size() || text[brace] != '{') return std::nullopt;
  const std::size_t name = skipBlanks(text, brace + 1);
  if (name >= text.size()) return std::nullopt;
  return text.substr(name).starts_with("a:") ? name + 2 : name;
}

Value tokenValue(std::string_view token) {
  Value value;
  const char* start = token.data() + (token.starts_with('+') ? 1 : 0);
  const char* end = token.data() + token.size();
  const auto done = std::from_chars(start, end, value.integer);
  // Minus zero is none: as an integer it would lose its sign.
  const bool is_whole = done.ptr == end && done.ec == std::errc();
  if (is_whole && (value.integer != 0 || *start != '-')) {
    value.type = ValueType::kInt64;
    return value;
  }
  auto number = plainNumber(token);
  if (!number) number = oddNumber(token);
  value.type = number ? ValueType::kDouble : ValueType::kWord;
  if (number) value.number = *number;
  return value;
}

Status parseTextElements(TreeBuilder& builder) { return TextReader(builder).readAll(); }

}  // namespace clipmill::io::fbx
