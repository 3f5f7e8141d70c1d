// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"
#include "scene/springs.h"

namespace clipmill::stages::dynamic_bones {

/// A limit in one pose.
struct PosedLimit {
  const AngleLimit* limit = nullptr;  ///< Null for none.
  Quat metric_from_limit = kIdentityRotation;
  double softness = 0.0;  ///< Share of the limit's angle before it that is soft; 0..1.
};

/// The axes of a limit in those of its joint at rest: the shortest arc from +Y to `bone_axis` (180
/// degrees about X where that is -Y), then AngleLimit::rotation. `bone_axis`: from the joint to its
/// bone's end, in the joint's axes, of any length.
Quat jointFromLimit(const AngleLimit& limit, const Vec3& bone_axis);

/// `direction` after the limit. Unit vectors in metric world space. Interpretation of the draft
/// VRMC_springBone_limit:
/// - cone: the nearest direction of the cone; from -Y the one on the side of +Z;
/// - hinge: projected to the plane normal to X, +Y if the projection is zero, then rotated back to
///   `angle_rad` on its own side, from -Y on that of +Z;
/// - spherical: pitch atan2(z, y) and yaw asin(x) clamped each for itself; the pitch of +-X is 0,
///   that of -Y is pi;
/// - planar: the projection of the hinge alone.
/// An angle of pi (pitch too) is no limit; angles are clamped to 0..pi, yaw to 0..pi/2.
///
/// With softness s, angles x beyond the knee k = (1 - s) limit become k + w u / (1 + u), where w =
/// s limit and u = (x - k) / w: continuous with its slope at the knee, below the limit for all x.
/// This map is not idempotent: to restore a limit after a contact, use softness 0.
Vec3 limitedDirection(const PosedLimit& limit, const Vec3& direction);

/// By how many radians `direction` exceeds the limit, without its soft zone: the angle to
/// limitedDirection. 0 within the limit.
double limitExcess(const PosedLimit& limit, const Vec3& direction);

}  // namespace clipmill::stages::dynamic_bones
