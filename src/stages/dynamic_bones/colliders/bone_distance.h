// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"
#include "stages/dynamic_bones/colliders/solid.h"

/// Signed distance between a bone and a solid. Metric world space, metres.
namespace clipmill::stages::dynamic_bones {

/// A bone in one pose.
struct BoneShape {
  Vec3 head{0.0};
  Vec3 end{0.0};
  double length_m = 0.0;  ///< |end - head|
  double head_radius_m = 0.0;
  double end_radius_m = 0.0;

  Taper taper() const { return Taper(head, end, head_radius_m, end_radius_m); }
  double radiusAt(double along) const {
    return head_radius_m + (end_radius_m - head_radius_m) * along;
  }
  /// The bone rotated about its head so that it points along the unit vector `direction`.
  BoneShape pointing(const Vec3& direction) const;
  /// Unit vector from head to end; +Y for a bone without length.
  Vec3 direction() const;
};

/// The sphere of a bone with the least signed distance from a solid.
struct BoneDistance {
  double along = 0.0;        ///< 0 at the head, 1 at the end.
  double distance_m = 0.0;   ///< Between the surfaces; negative where they overlap.
  Vec3 away{0.0, 1.0, 0.0};  ///< Out of the solid, unit length.
};

/// The least signed distance of a bone from a solid; exact for every shape. A rotation of the bone
/// cannot move its head. If the head penetrates the solid, only the end counts, or a part whose
/// penetration exceeds that of the head; the distance of that part is then relative to the head.
BoneDistance boneDistance(const PosedSolid& solid, const BoneShape& bone);

/// A bound of the depth of a bone in a solid, which costs half as much: boneDistance() has a
/// distance of at least its negative.
double depthBound_m(const PosedSolid& solid, const BoneShape& bone);

/// The signed distance of the bone's end alone.
BoneDistance endDistance(const PosedSolid& solid, const BoneShape& bone);

}  // namespace clipmill::stages::dynamic_bones
