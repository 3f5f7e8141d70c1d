// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/float_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>

#include "core/to_size.h"

namespace clipmill {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// The length of a number at the start of `text`, as std::from_chars() takes it: no white space, no
// plus sign, no hexadecimal digits. 0 where there is none.
std::size_t numberLength(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto small = [&](std::size_t i) {
    return i < text.size() ? static_cast<char>(text[i] | 0x20) : '\0';
  };
  const auto isWord = [&](std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (small(at + i) != word[i]) return false;
    }
    return true;
  };
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (isWord(word)) return at + word.size();
  }
  std::size_t digits = 0;
  for (; at < text.size() && isDigit(text[at]); ++at) ++digits;
  if (at < text.size() && text[at] == '.') {
    const std::size_t whole = digits;
    std::size_t end = at + 1;
    for (; end < text.size() && isDigit(text[end]); ++end) ++digits;
    if (whole > 0 || digits > 0) at = end;
  }
  if (digits == 0) return 0;
  if (small(at) != 'e') return at;
  std::size_t end = at + 1;
  if (end < text.size() && (text[end] == '+' || text[end] == '-')) ++end;
  if (end == text.size() || !isDigit(text[end])) return at;
  while (end < text.size() && isDigit(text[end])) ++end;
  return end;
}

bool hasDigitAboveZero(std::string_view number) {
  for (const char c : number) {
    if (c == 'e' || c == 'E') return false;
    if (c >= '1' && c <= '9') return true;
  }
  return false;
}

template <class Float>
Float floatOf(const std::string& text) {
  if constexpr (std::is_same_v<Float, float>) {
    return std::strtof(text.c_str(), nullptr);
  } else {
    return std::strtod(text.c_str(), nullptr);
  }
}

// Decimal digits, the point behind the first one, and the power of ten.
struct Decimal {
  std::string digits;
  int exponent = 0;

  std::string scientific() const {
    std::string text = digits.substr(0, 1);
    if (digits.size() > 1) text += '.' + digits.substr(1);
    const int size = std::abs(exponent);
    return text + (exponent < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + std::to_string(size);
  }
};

// The nearest decimal of `count` digits.
Decimal rounded(double value, int count) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*e", count - 1, value);
  const std::string_view text = buffer;
  const std::size_t mark = text.find('e');
  Decimal decimal;
  std::copy_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(mark),
               std::back_inserter(decimal.digits), isDigit);
  decimal.exponent = std::atoi(buffer + mark + 1);
  return decimal;
}

// The next decimal above or below with as many digits; nothing where it has more or fewer.
std::optional<Decimal> neighbour(const Decimal& decimal, int step) {
  Decimal other = decimal;
  std::size_t at = other.digits.size();
  while (at-- > 0) {
    const char next = static_cast<char>(other.digits[at] + step);
    if (isDigit(next)) {
      other.digits[at] = next;
      return other.digits[0] == '0' ? std::nullopt : std::optional(other);
    }
    other.digits[at] = step > 0 ? '0' : '9';
  }
  return std::nullopt;
}

// The decimal with the fewest digits that reads back as `value`, which is positive. At powers of
// two the numbers below are nearer than those above: there the nearest decimal of so many digits
// may read back as another number while its neighbour does not.
template <class Float>
Decimal shortestDecimal(Float value) {
  for (int count = 1;; ++count) {
    const Decimal nearest = rounded(value, count);
    if (floatOf<Float>(nearest.scientific()) == value) return nearest;
    if (count >= std::numeric_limits<Float>::max_digits10) return nearest;
    for (const int step : {1, -1}) {
      const auto other = neighbour(nearest, step);
      if (other && floatOf<Float>(other->scientific()) == value) return *other;
    }
  }
}

// Without an exponent. Of a large whole number all digits are written, as its value has them.
std::string plainText(const Decimal& decimal, double value) {
  const int count = static_cast<int>(decimal.digits.size());
  if (decimal.exponent < 0) {
    const auto zeros = toSize(-decimal.exponent - 1);
    return "0." + std::string(zeros, '0') + decimal.digits;
  }
  if (count > decimal.exponent + 1) {
    const auto whole = toSize(decimal.exponent) + 1;
    return decimal.digits.substr(0, whole) + '.' + decimal.digits.substr(whole);
  }
  return by_c_library::fixedDigitsText(value, 0);
}

template <class Float>
std::string shortestOf(Float value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  const Float size = std::abs(value);
  if (std::isinf(size)) return sign + "inf";
  if (size == 0) return sign + "0";
  const Decimal decimal = shortestDecimal(size);
  const std::string plain = plainText(decimal, size), scientific = decimal.scientific();
  return sign + (plain.size() <= scientific.size() ? plain : scientific);
}

// What the C library formats into a buffer that is large enough.
std::string formatted(const char* format, int digits, double value) {
  const int length = std::max(std::snprintf(nullptr, 0, format, digits, value), 0);
  std::string text(toSize(length), '\0');
  std::snprintf(text.data(), text.size() + 1, format, digits, value);
  return text;
}

}  // namespace

namespace by_c_library {

std::from_chars_result readFloat(std::string_view text, double& value) {
  const std::size_t length = numberLength(text);
  if (length == 0) return {text.data(), std::errc::invalid_argument};
  const std::string_view number = text.substr(0, length);
  const char* end = text.data() + length;
  const double read = floatOf<double>(std::string(number));
  const bool is_beyond =
      (std::isinf(read) && isDigit(number.back())) || (read == 0.0 && hasDigitAboveZero(number));
  if (is_beyond) return {end, std::errc::result_out_of_range};
  value = read;
  return {end, std::errc()};
}

std::string shortestText(double value) { return shortestOf(value); }
std::string shortestText(float value) { return shortestOf(value); }

std::string fixedDigitsText(double value, int digits) { return formatted("%.*f", digits, value); }

std::string significantDigitsText(double value, int digits) {
  return formatted("%.*g", digits, value);
}

}  // namespace by_c_library

#ifdef __cpp_lib_to_chars

namespace {

// A buffer for the longest double, which has 309 digits before the point.
template <class... Format>
std::string charsOf(Format... format) {
  char buffer[400];
  const auto done = std::to_chars(buffer, buffer + sizeof buffer, format...);
  return done.ec == std::errc() ? std::string(buffer, done.ptr) : std::string();
}

}  // namespace

std::from_chars_result readFloat(std::string_view text, double& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value);
}

std::string shortestText(double value) { return charsOf(value); }
std::string shortestText(float value) { return charsOf(value); }

std::string fixedDigitsText(double value, int digits) {
  const std::string text = charsOf(value, std::chars_format::fixed, digits);
  return text.empty() ? shortestText(value) : text;
}

std::string significantDigitsText(double value, int digits) {
  return charsOf(value, std::chars_format::general, digits);
}

#else

std::from_chars_result readFloat(std::string_view text, double& value) {
  return by_c_library::readFloat(text, value);
}
std::string shortestText(double value) { return by_c_library::shortestText(value); }
std::string shortestText(float value) { return by_c_library::shortestText(value); }
std::string fixedDigitsText(double value, int digits) {
  return by_c_library::fixedDigitsText(value, digits);
}
std::string significantDigitsText(double value, int digits) {
  return by_c_library::significantDigitsText(value, digits);
}

#endif

}  // namespace clipmill
