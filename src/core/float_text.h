// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace clipmill {

/// Numbers of floating point as text. Where the standard library cannot do it (libc++ before
/// version 20), the functions of `by_c_library` serve, which give the same characters and values.

/// std::from_chars() for a double.
std::from_chars_result readFloat(std::string_view text, double& value);

/// The fewest characters that read back as `value`: std::to_chars().
std::string shortestText(double value);
std::string shortestText(float value);

/// So many digits behind the point: "%.*f" without a locale.
std::string fixedDigitsText(double value, int digits);

/// So many significant digits: "%.*g" without a locale.
std::string significantDigitsText(double value, int digits);

/// Made of strtod() and snprintf(). They follow the locale of the C library, which must have a
/// point as its decimal mark.
namespace by_c_library {

std::from_chars_result readFloat(std::string_view text, double& value);
std::string shortestText(double value);
std::string shortestText(float value);
std::string fixedDigitsText(double value, int digits);
std::string significantDigitsText(double value, int digits);

}  // namespace by_c_library
}  // namespace clipmill
