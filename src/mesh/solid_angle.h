// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "core/math.h"
#include "core/portable_math.h"

namespace clipmill {

/// The sum of the solid angles of triangles, positive where they are seen from behind.
///
/// tan(angle / 2) = [a b c] / (|a||b||c| + a.b |c| + b.c |a| + c.a |b|) for a triangle with corners
/// a, b, c as seen from the origin (van Oosterom and Strackee 1983). Half angles add up where
/// complex numbers with these arguments are multiplied, so that one arc tangent does for all
/// triangles.
class SolidAngleSum {
 public:
  /// A triangle with the origin in it counts as 0, between the two sides; one of no area likewise.
  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double la = std::sqrt(glm::dot(a, a)), lb = std::sqrt(glm::dot(b, b)),
                 lc = std::sqrt(glm::dot(c, c));
    const double sine = glm::dot(a, glm::cross(b, c));
    if (sine == 0.0) return;
    const double cosine =
        la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb;
    const double real = real_ * cosine - imaginary_ * sine;
    const double imaginary = real_ * sine + imaginary_ * cosine;
    // Two angles of one sign whose sum has the other have gone round.
    if (imaginary_ >= 0.0 && sine > 0.0 && imaginary < 0.0) half_rotations_ += 2.0;
    if (imaginary_ < 0.0 && sine < 0.0 && imaginary >= 0.0) half_rotations_ -= 2.0;
    const double size = std::abs(real) + std::abs(imaginary);
    if (!(size > 0.0)) return;  // underflow: the angle is below the noise of its corners
    real_ = real / size;
    imaginary_ = imaginary / size + 0.0;  // no -0, which would make -pi of pi
  }

  double sum() const { return 2.0 * (portable::atan2(imaginary_, real_) + half_rotations_ * kPi); }

 private:
  double real_ = 1.0, imaginary_ = 0.0;
  double half_rotations_ = 0.0;
};

}  // namespace clipmill
