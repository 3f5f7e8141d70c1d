// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/limb_groups.h"

namespace clipmill::stages::self_collision {

/// One correction of both arms over a whole clip whose hands hold one thing, for grips that no
/// single mode resolves within the jerk limit. Shift and rotation of both hands, pitch of both arms
/// and a swivel of each elbow follow uniform cubic B-splines over time. Their control values are
/// found together by damped least squares (Gauss-Newton): clearance of all pairs in the gripped
/// frames, rotation limits, anatomical ranges, reach of both hands, change of the jerk of shoulders
/// and elbows, and size. The weight of a joint's jerk grows until it is within its limit.
///
/// Returns one layer for each control value, to be added to the stack as it is: of the
/// result with the fewest penetrating frames that keeps the jerk limit. None where no such result
/// is better than no change, and none for a character without two hands. `group`: both arms as one
/// unit. `margin`: clearance beyond the target depths at which steps aim, in contact distances.
std::vector<CorrectionLayer> gripTrajectory(ClipContext& clip, const PairGroup& group,
                                            std::size_t group_index, double margin);

}  // namespace clipmill::stages::self_collision
