// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {

/// The left hand in the axes of the right one.
struct RelativeHands {
  Quat rotation = kIdentityRotation;
  Vec3 position_m{0.0};
};

/// The difference of two relative transforms of the hands.
struct GripError {
  double distance_m = 0.0;
  double rotation_rad = 0.0;
};

/// A grip counts as kept up to this error: 0.2 % of the character's height and 5 degrees.
inline constexpr double kMaxGripHeights = 0.002;
inline constexpr double kMaxGrip_rad = 5.0 * kDegree;

/// The hands in a pose, given by the metric world transforms of all nodes; identity for a character
/// without two hands.
RelativeHands relativeHands(const LimbPoser& poser, std::span<const Affine> worlds);
/// The same, given the world transforms of both hands.
RelativeHands relativeHands(const Affine& left, const Affine& right);

GripError gripError(const RelativeHands& from, const RelativeHands& to);

bool isGripKept(const GripError& error, double height_m);

}  // namespace clipmill::stages::self_collision
