// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/goal_track.h"

namespace clipmill::stages::self_collision {

/// Layers, one for each control value, whose sum is the cubic B-spline that follows the values of a
/// track at the samples that count (least squares with a little curvature), and eases to 0 beyond
/// them. Of several distances of knots the closest that leaves some of the jerk limit to other
/// corrections; a constant change where none does. None where that exceeds the limit too.
std::vector<CorrectionLayer> smoothLayersOf(const GoalTrack& track, ClipContext& clip);

}  // namespace clipmill::stages::self_collision
