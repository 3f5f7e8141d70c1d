// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

namespace clipmill {

/// Parts of 1 in a normalised 16-bit integer (glTF 2.0, 3.11).
inline constexpr double kShortParts = 32767.0;

/// The number from -1 to 1 nearest to `x` that a normalised 16-bit integer can be.
inline double roundedToShort(double x) {
  return std::round(std::clamp(x, -1.0, 1.0) * kShortParts) / kShortParts;
}

}  // namespace clipmill
