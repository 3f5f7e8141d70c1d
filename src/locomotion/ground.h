// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"

/// Directions along the ground of metric space: y is up.
namespace clipmill::locomotion {

/// Length of the part of `v` along the ground.
double horizontalLength(const Vec3& v);

/// Angle about the vertical, to the left seen from above, from +Z to the direction of `v`; 0 for
/// none. (0, 0, 1) has 0, (1, 0, 0) pi/2.
double headingOf(const Vec3& v);

/// `v` rotated about the vertical.
Vec3 rotated(const Vec3& v, double angle_rad);

/// `angle_rad` wrapped into (-pi, pi].
double wrappedAngle(double angle_rad);

}  // namespace clipmill::locomotion
