// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/pair_separation.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "stages/self_collision/exact/limb_groups.h"

namespace clipmill::stages::self_collision {
namespace {

double squareDistance(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 side = b - a;
  const double length2 = glm::dot(side, side);
  const double t = length2 > 0.0 ? std::clamp(glm::dot(p - a, side) / length2, 0.0, 1.0) : 0.0;
  const Vec3 offset = p - a - t * side;
  return glm::dot(offset, offset);
}

// Displacement of a point on the skin of a limb, carried by the nearest bone.
Vec3 displacementOf(const MovableLimb& limb, const Vec3& point_m, std::span<const Affine> from,
                    std::span<const Affine> to) {
  const auto jointOf = [&](int node) { return from[toSize(node)].translation; };
  const Vec3 middle = jointOf(limb.lower), end = jointOf(limb.end);
  int bone = limb.lower;
  if (glm::dot(point_m - end, end - middle) > 0.0) {
    bone = limb.end;
  } else if (squareDistance(point_m, jointOf(limb.upper), middle) <
             squareDistance(point_m, middle, end)) {
    bone = limb.upper;
  }
  const std::size_t b = toSize(bone);
  return transformPoint(to[b] * inverse(from[b]), point_m) - point_m;
}

}  // namespace

double separation_m(const MovableLimb& limb, const penetration::PartPair& pair,
                    const penetration::PairClearance& measured, std::span<const Affine> from,
                    std::span<const Affine> to) {
  if (!takesPart(limb, pair)) return 0.0;
  const Vec3 across = measured.nearest_m - measured.position_m;
  const double length = std::sqrt(glm::dot(across, across));
  if (!(length > 0.0)) return 0.0;
  const bool is_own = isLimbOf(limb, pair);
  const Vec3 moved =
      displacementOf(limb, is_own ? measured.position_m : measured.nearest_m, from, to);
  const double towards_m = glm::dot(is_own ? moved : -moved, across / length);
  return measured.clearance_m < 0.0 ? towards_m : -towards_m;
}

}  // namespace clipmill::stages::self_collision
