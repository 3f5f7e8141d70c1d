// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"
#include "stages/dynamic_bones/colliders/solid.h"

/// Where a bone comes nearest to a solid. Metric world space, metres.
namespace clipmill::bones {

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
  /// The bone turned about its head so that it points along the unit vector `direction`.
  BoneShape pointing(const Vec3& direction) const;
  /// Unit vector from head to end; +Y for a bone without length.
  Vec3 direction() const;
};

/// The sphere of a bone that is deepest in a solid, or nearest to it.
struct Touch {
  double along = 0.0;        ///< 0 at the head, 1 at the end.
  double distance_m = 0.0;   ///< Between the surfaces; negative where they overlap.
  Vec3 away{0.0, 1.0, 0.0};  ///< Out of the solid, unit length.
};

/// Exact for every shape. A head that is in the solid itself cannot be moved: then only the end, or
/// what lies deeper than the head counts, and that by as much as it is deeper.
Touch touch(const PlacedSolid& solid, const BoneShape& bone);

/// That of the bone's end alone.
Touch touchOfEnd(const PlacedSolid& solid, const BoneShape& bone);

}  // namespace clipmill::bones
