// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/self_collision/exact/clip_context.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// Adds the metric max_rotation_deg, the largest rotation of any joint at any frame or midpoint
/// relative to the source, and one warning for each time span in which a pair still penetrates
/// because a limit keeps a limb from moving farther, with joint, frame and remaining depth:
/// rotation_limit (max_rotation_deg), leg_move_limit (a leg moves no farther than its depth asks
/// for), planted_foot_kept, grip_kept (both hands hold one thing),
/// anatomical_limit (anatomical_ranges), jerk_above_limit (max_jerk_ratio).
void reportLimits(ClipContext& clip, StageResult& report);

}  // namespace clipmill::stages::self_collision
