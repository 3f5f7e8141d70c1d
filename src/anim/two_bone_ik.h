// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"

namespace clipmill {

/// A limb of two bones in its present pose, e.g. hip, knee and ankle. All in one space.
struct TwoBoneLimb {
  Vec3 root{0.0};
  Vec3 middle{0.0};
  Vec3 end{0.0};
  /// The side to which the middle joint moves when the limb, being straight, bends: of a knee the
  /// front. Any length; rotated along with the limb.
  Vec3 forward{0.0};
};

/// How a limb reaches a target. A world rotation r of a bone becomes rotation * r.
struct TwoBoneReach {
  Quat upper_rotation{1.0, 0.0, 0.0, 0.0};
  Quat lower_rotation{1.0, 0.0, 0.0, 0.0};
  Vec3 middle{0.0};
  Vec3 end{0.0};
  double short_by = 0.0;  ///< Distance from `end` to the target: 0 but for rounding when reached.
};

/// Moves the end of the limb to `target`: the limb as a whole is rotated by the shortest arc, and
/// bent in the plane in which it is bent already (law of cosines). Bone lengths stay. A limb that
/// is nearly straight has no such plane: the more the bend then has to change, the more `forward`
/// replaces it.
///
/// For a target out of reach the limb points towards it. So that the middle joint does not snap
/// when the limb gets straight, the last `soft` of the reach beyond the limb's present one is
/// approached exponentially and never used up; targets nearer than that, or than the present end,
/// are reached exactly. A target at the root keeps the direction of the limb; a limb with a bone of
/// no length stays as it is.
TwoBoneReach reachWithTwoBones(const TwoBoneLimb& limb, const Vec3& target, double soft = 0.0);

/// The rotation of a node in the axes of its parent, that rotates it in the world by
/// `world_rotation`: local rotation r becomes the returned one times r. The parent may be scaled
/// and mirrored; exact where it is no shear.
Quat rotationInParent(const Affine& world_from_parent, const Quat& world_rotation);

/// The local rotation, formerly `rotation`, of a node that rotates by `world_rotation` in the world
/// after the nodes above it have been rotated by `carried_by` since `world_from_parent` was
/// computed.
Quat rotatedInWorld(const Affine& world_from_parent, const Quat& carried_by,
                    const Quat& world_rotation, const Quat& rotation);

}  // namespace clipmill
