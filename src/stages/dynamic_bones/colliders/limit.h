// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"
#include "scene/springs.h"

namespace clipmill::bones {

/// A limit where it stands in one pose.
struct PlacedLimit {
  const AngleLimit* limit = nullptr;  ///< Null for none.
  Quat metric_from_limit = kIdentityRotation;
  double softness = 0.0;  ///< Share of the limit's angle before it that is soft; 0..1.
};

/// The axes of a limit in those of its joint at rest: the shortest arc from +Y to `bone_axis` (a
/// half turn about X where that is -Y), then AngleLimit::rotation. `bone_axis`: from the joint to
/// its bone's end, in the joint's axes, of any length.
Quat jointFromLimit(const AngleLimit& limit, const Vec3& bone_axis);

/// The direction that the limit makes of `direction`. Unit vectors in metric world space. Readings
/// of the draft VRMC_springBone_limit:
/// - cone: the nearest direction of the cone; from -Y the one on the side of +Z;
/// - hinge: projected to the plane normal to X, +Y where nothing is left of it, then turned back to
///   `angle_rad` on its own side, from -Y on that of +Z;
/// - spherical: pitch atan2(z, y) and yaw asin(x) clamped each for itself; the pitch of +-X is 0,
///   that of -Y is pi;
/// - planar: the projection of the hinge alone.
/// An angle of pi (pitch too) is no limit; angles are clamped to 0..pi, yaw to 0..pi/2.
///
/// With softness s, angles x beyond the knee k = (1 - s) limit become k + w u / (1 + u), where w =
/// s limit and u = (x - k) / w: continuous with its slope at the knee, below the limit for all x.
/// Such a map moves a direction again when it is applied again; whoever restores a limit after a
/// contact does it with softness 0.
Vec3 limitedDirection(const PlacedLimit& limit, const Vec3& direction);

/// By how many radians `direction` breaks the limit itself, without its soft zone: the angle to
/// limitedDirection. 0 where it keeps it.
double limitExcess(const PlacedLimit& limit, const Vec3& direction);

}  // namespace clipmill::bones
