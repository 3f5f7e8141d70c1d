// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/math.h"
#include "stages/dynamic_bones/colliders/bone_distance.h"

/// Rotates a bone about its head until it is in contact with a solid that it penetrated. Metric
/// world space, metres.
namespace clipmill::stages::dynamic_bones {

/// A penetration smaller than this counts as contact.
inline constexpr double kContactTolerance_m = 1e-9;

/// A rotated bone, and its boneDistance() if that is known.
struct RotatedBone {
  BoneShape bone;
  std::optional<BoneDistance> nearest;
};

/// The bone rotated about its head by the smallest angle that moves it out of the solid, into
/// contact; unchanged if it does not penetrate. Closed form for spheres and planes, else Newton
/// steps on the bone's sphere. If no direction is free (large penetration of the head), the
/// direction of least penetration. `first`: the boneDistance() of the bone. `hint`: a direction for
/// a bone that points straight into the solid.
RotatedBone rotatedOut(const PosedSolid& solid, const BoneShape& bone, const BoneDistance& first,
                       const Vec3& hint);

/// The bone rotated into contact with both solids, from one that is in contact with them or
/// penetrates them. If no such direction exists, the best approximation.
BoneShape rotatedOutOfBoth(const PosedSolid& a, const PosedSolid& b, const BoneShape& bone);

}  // namespace clipmill::stages::dynamic_bones
