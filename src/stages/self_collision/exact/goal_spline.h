// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/goal_track.h"

namespace clipmill::stages::self_collision {

/// The largest part of a change of an arm that keeps the limits of the pose at a sample: of each
/// joint by itself, so that one at its limit does not keep the others from moving.
GoalTrack::Values withinLimits(const GoalTrack::Values& values, std::size_t limb,
                               std::size_t sample, ClipContext& clip);

/// Layers, one for each control value, whose sum is the cubic B-spline that follows the values of a
/// track at the samples that count (least squares with a little curvature), and eases to 0 beyond
/// them. Of several distances of knots the closest that leaves some of the jerk limit to other
/// corrections, and that keeps the limits of the pose; a constant change where none does. None
/// where that exceeds the limit too.
std::vector<CorrectionLayer> smoothLayersOf(const GoalTrack& track, ClipContext& clip);

}  // namespace clipmill::stages::self_collision
