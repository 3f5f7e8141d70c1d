// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "core/math.h"
#include "core/result.h"

namespace clipmill::test {

/// Largest component of |a - b|.
inline double distance(const Vec3& a, const Vec3& b) {
  const Vec3 d = a - b;
  return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
}

/// Angle between two rotations, blind to the sign of the quaternions.
inline double distance(const Quat& a, const Quat& b) { return angleBetween(a, b); }

/// Equals values that differ by less than `share` of the larger one. doctest's own epsilon adds 1
/// to the size of the values, so that small ones always pass.
inline doctest::Approx nearTo(double value, double share) {
  return doctest::Approx(value).epsilon(share).scale(1e-300);
}

}  // namespace clipmill::test

/// Fails with the error's own sentence.
#define CHECK_OK(result)                                                        \
  do {                                                                          \
    const auto& checked_result = (result);                                      \
    if (!checked_result.ok()) FAIL(clipmill::describe(checked_result.error())); \
  } while (false)
