// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/arrays/npy_header.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "core/text.h"

namespace clipmill::io::arrays {
namespace {

constexpr std::size_t kMaxDimensions = 32;  // as in NumPy
constexpr std::size_t kMaxElementBytes = std::size_t{1} << 24;
constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 48;

Error headerFault(std::string message) {
  return {ErrorCode::kMalformed, "header", std::move(message), ""};
}

Error unsupported(const std::string& what) {
  return {ErrorCode::kUnsupported, "", what,
          "save plain arrays of numbers: numpy.savez(file, name=array)"};
}

// A dictionary of strings, truth values and tuples of integers, in Python's notation.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<NpyHeader> parse() {
    if (!take('{')) return headerFault("is no dictionary");
    while (!take('}')) {
      CLIPMILL_TRY(const std::string_view key, quoted());
      if (!take(':')) return headerFault("has no value for '" + printable(key, 40) + "'");
      if (key == "descr") {
        CLIPMILL_CHECK(readType());
      } else if (key == "fortran_order") {
        CLIPMILL_CHECK(readOrder());
      } else if (key == "shape") {
        CLIPMILL_CHECK(readShape());
      } else {
        return headerFault("has an unknown key '" + printable(key, 40) + "'");
      }
      if (!take(',') && !peek('}')) return headerFault("is no dictionary");
    }
    if (!has_type_ || !has_order_ || !has_shape_) return headerFault("is not complete");
    return header_;
  }

 private:
  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool peek(char c) {
    skipSpace();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    ++at_;
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Result<std::string_view> quoted() {
    const char mark = peek('"') ? '"' : '\'';
    if (!take(mark)) return headerFault("has no quoted text where one is expected");
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) return headerFault("has a text without an end");
    const std::string_view value = text_.substr(at_, end - at_);
    at_ = end + 1;
    return value;
  }

  Status readType() {
    if (peek('[')) return unsupported("is an array of records");
    CLIPMILL_TRY(std::string_view type, quoted());
    has_type_ = true;
    const std::string shown = printable(type, 40);
    if (!type.empty() && std::string_view("<>=|").find(type.front()) != std::string_view::npos) {
      header_.is_big_endian = type.front() == '>';
      type.remove_prefix(1);
    }
    if (type.starts_with('O')) {
      return unsupported(
          "holds Python objects (a pickle), which are not read because they can run code");
    }
    const std::size_t letter =
        type.empty() ? std::string_view::npos : std::string_view("fiubUS").find(type.front());
    if (letter == std::string_view::npos)
      return unsupported("has elements of type '" + shown + "'");
    header_.kind = static_cast<ElementKind>(letter);
    std::size_t size = 0;
    const char* end = type.data() + type.size();
    const auto [rest, error] = std::from_chars(type.data() + 1, end, size);
    if (error != std::errc() || rest != end || size > kMaxElementBytes) {
      return headerFault("has the type '" + shown + "'");
    }
    header_.element_bytes = header_.kind == ElementKind::kUnicode ? 4 * size : size;
    const bool is_text =
        header_.kind == ElementKind::kUnicode || header_.kind == ElementKind::kBytes;
    const bool is_known = header_.kind == ElementKind::kFloat ? size == 2 || size == 4 || size == 8
                          : header_.kind == ElementKind::kBool
                              ? size == 1
                              : size == 1 || size == 2 || size == 4 || size == 8;
    if (!is_text && !is_known) return unsupported("has elements of type '" + shown + "'");
    return {};
  }

  Status readOrder() {
    has_order_ = true;
    header_.is_fortran_order = takeWord("True");
    if (header_.is_fortran_order || takeWord("False")) return {};
    return headerFault("has no order of axes");
  }

  Status readShape() {
    has_shape_ = true;
    header_.shape.clear();
    if (!take('(')) return headerFault("has no shape");
    while (!take(')')) {
      skipSpace();
      std::uint64_t extent = 0;
      const char* start = text_.data() + at_;
      const auto [rest, error] = std::from_chars(start, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent > kMaxExtent || header_.shape.size() == kMaxDimensions) {
        return headerFault("has an invalid shape");
      }
      at_ += static_cast<std::size_t>(rest - start);
      takeWord("L");  // Python 2 wrote long integers so
      header_.shape.push_back(static_cast<std::size_t>(extent));
      if (!take(',') && !peek(')')) return headerFault("has an invalid shape");
    }
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  NpyHeader header_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

Result<NpyHeader> parseNpyHeader(std::string_view text) { return HeaderParser(text).parse(); }

}  // namespace clipmill::io::arrays
