// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "core/math.h"
#include "core/to_size.h"

namespace clipmill {

/// The point of a triangle that is nearest to another point.
struct NearestOnTriangle {
  double square = std::numeric_limits<double>::infinity();  ///< Of the distance.
  Vec3 point{0.0};
  Vec3 barycentric{0.0};  ///< 0..1, sum 1.
};

/// Inside of the triangle's prism the foot of the perpendicular, else the nearest point of those
/// sides that the point is beyond. Triangles of no area count as lines.
inline NearestOnTriangle nearestOnTriangle(const Vec3& point, const std::array<Vec3, 3>& corners) {
  // Below this share of what the sides could span, a triangle is as thin as a line.
  constexpr double kMinShare = 1e-14;
  const Vec3 ab = corners[1] - corners[0], ac = corners[2] - corners[0], ap = point - corners[0];
  const double bb = glm::dot(ab, ab), bc = glm::dot(ab, ac), cc = glm::dot(ac, ac);
  const double pb = glm::dot(ab, ap), pc = glm::dot(ac, ap);
  const double span = bb * cc - bc * bc;
  const double of_b = cc * pb - bc * pc, of_c = bb * pc - bc * pb;  // times span
  const bool is_thin = !(span > kMinShare * bb * cc);

  NearestOnTriangle nearest;
  if (!is_thin && of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= span) {
    const double b = of_b / span, c = of_c / span;
    nearest.barycentric = Vec3(1.0 - b - c, b, c);
    nearest.point = corners[0] + b * ab + c * ac;
    const Vec3 offset = point - nearest.point;
    nearest.square = glm::dot(offset, offset);
    return nearest;
  }
  const auto trySide = [&](int from, int to) {
    const Vec3 side = corners[toSize(to)] - corners[toSize(from)];
    const Vec3 from_corner = point - corners[toSize(from)];
    const double square = glm::dot(side, side);
    const double share =
        square > 0.0 ? std::clamp(glm::dot(from_corner, side) / square, 0.0, 1.0) : 0.0;
    const Vec3 offset = from_corner - share * side;
    const double distance_square = glm::dot(offset, offset);
    if (!(distance_square < nearest.square)) return;
    nearest.square = distance_square;
    nearest.point = corners[toSize(from)] + share * side;
    nearest.barycentric = Vec3(0.0);
    nearest.barycentric[from] = 1.0 - share;
    nearest.barycentric[to] = share;
  };
  if (is_thin || of_c < 0.0) trySide(0, 1);
  if (is_thin || of_b < 0.0) trySide(0, 2);
  if (is_thin || of_b + of_c > span) trySide(1, 2);
  return nearest;
}

}  // namespace clipmill
