// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>

#include "core/math.h"

namespace clipmill {

/// Where a ray meets a triangle.
struct RayHit {
  double distance = 0.0;  ///< In lengths of the direction.
  Vec3 barycentric{0.0};  ///< Of the three corners.
};

/// The hit of a ray from `origin` on a triangle, from either side, edges included (Moeller and
/// Trumbore, Fast, Minimum Storage Ray/Triangle Intersection, 1997). None for a miss.
std::optional<RayHit> rayHit(const Vec3& origin, const Vec3& direction,
                             const std::array<Vec3, 3>& corners);

}  // namespace clipmill
