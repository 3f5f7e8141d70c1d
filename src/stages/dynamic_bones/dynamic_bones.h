// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/stage.h"

namespace clipmill {

/// Lets the chains of each motion swing, and writes the local rotations of their joints, and the
/// translations of the ends of bones that may stretch; nothing else is touched. The simulation runs
/// in metric world space. Bone lengths are those of the clip unless they may stretch. The first
/// frame is the clip's own pose where no solid, limit, pre-roll, other clip or cycle is in its way;
/// a motion of one frame stays as it is. The methods vrm1 and vrm0 move the file's own springs
/// (vrm_run.h).
///
/// Metrics of a clip: joints, joint_steps, max_bone_length_error_mm, deepest_penetration_mm,
/// max_speed_mps; limit_violation_deg where there are limits; loop_cycles, loop_cycles_predicted,
/// loop_seam_deg and loop_seam_degps of cycles. Series of a chain: tip_speed_mps,
/// angle_to_rest_deg, penetration_mm where it has colliders. Warnings: joint_reset,
/// bone_length_changes, teleport, squeezed, rope_unsolved, loop_not_closed. Errors: those of
/// bones::makeRig and bones::checkPrior, kRecipe for a number that is not finite or a list of the
/// wrong size, kUnsupported for solids that the method does not know.
Result<std::vector<StageResult>> runDynamicBones(const StageInput& input,
                                                 const DynamicBonesSettings& settings);

}  // namespace clipmill
