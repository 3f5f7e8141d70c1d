// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/edit/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::edit {

/// Makes each motion a cycle: its last pose is its first, with the same velocity, and the character
/// travels as far as before in each cycle.
///
/// The root trajectory (GroundTrack of the root-motion joint) is removed. Then cubics in time
/// correct every track at both ends: half of the difference between the ends, and half of the
/// difference of their velocities, at either end. Between the windows nothing changes. Tracks that
/// match already keep their values, bit for bit. The root trajectory is corrected likewise, so that
/// its speed does not jump, and restored. Then lockFeet() locks the feet that are planted in the
/// clip; those that are planted across the seam have one position.
///
/// Metrics: seam_deg (of all bones, the largest) and seam_mm (of all translations, within their
/// parents), seam_speed_mps (of the root), before and after, loop_net_m, loop_yaw_deg, and those of
/// lockFeet(). Warnings: far_apart where a bone is rotated by more than 30 degrees; one_frame;
/// foot_out_of_reach. Errors: kRecipe for windows of no length, or longer than half of the clip,
/// and for FeetPolicy::kLock without legs.
Result<std::vector<StageResult>> runLoop(const StageInput& input, const LoopSettings& settings);

/// The stage as the registry lists it.
StageType loopType();

}  // namespace clipmill::stages::edit
