// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/ground.h"

#include <cmath>

#include "core/portable_math.h"

namespace clipmill::locomotion {

double horizontalLength(const Vec3& v) { return std::sqrt(v.x * v.x + v.z * v.z); }

double headingOf(const Vec3& v) { return portable::atan2(v.x, v.z); }

Vec3 rotated(const Vec3& v, double angle_rad) {
  if (angle_rad == 0.0) return v;
  const auto [sine, cosine] = portable::sinCos(angle_rad);
  return {v.x * cosine + v.z * sine, v.y, v.z * cosine - v.x * sine};
}

double wrappedAngle(double angle_rad) {
  const double rotations = std::ceil((angle_rad - kPi) / (2.0 * kPi));
  return angle_rad - 2.0 * kPi * rotations;
}

}  // namespace clipmill::locomotion
