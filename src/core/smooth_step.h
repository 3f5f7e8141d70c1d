// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

namespace clipmill {

/// 3 t^2 - 2 t^3 for t in [0, 1], level at both ends; 0 below and 1 above.
inline double smoothStep(double t) {
  const double s = std::clamp(t, 0.0, 1.0);
  return s * s * (3.0 - 2.0 * s);
}

/// From 0 at `from` to 1 at `to`, which may be less than `from`, but not equal.
inline double smoothStep(double from, double to, double x) {
  return smoothStep((x - from) / (to - from));
}

}  // namespace clipmill
