// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/goal_curve.h"
#include "stages/self_collision/exact/goal_track.h"

namespace clipmill::stages::self_collision {

/// The cubic B-spline that follows the values of a track at the samples that count (least squares
/// with a little curvature), and eases to 0 beyond them. Of several distances of knots and weights
/// of the jerk the closest that leaves some of the jerk limit to other corrections, and that keeps
/// the limits of the pose; a constant change where none does. None where that exceeds the limit
/// too.
std::optional<GoalCurve> smoothCurveOf(const GoalTrack& track, ClipContext& clip);

}  // namespace clipmill::stages::self_collision
