// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

namespace clipmill {

/// Parts of 1 in a normalised 16-bit integer, and in one of 8 bits without sign (glTF 2.0, 3.11).
inline constexpr double kShortParts = 32767.0, kByteParts = 255.0;

/// The number from -1 to 1 nearest to `x` that a normalised 16-bit integer can be.
inline double roundedToShort(double x) {
  return std::round(std::clamp(x, -1.0, 1.0) * kShortParts) / kShortParts;
}

/// The number from 0 to 1 nearest to `x` that a normalised 8-bit integer without sign can be.
inline double roundedToByte(double x) {
  return std::round(std::clamp(x, 0.0, 1.0) * kByteParts) / kByteParts;
}

}  // namespace clipmill
