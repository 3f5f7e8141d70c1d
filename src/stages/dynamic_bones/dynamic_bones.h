// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::dynamic_bones {

/// Simulates the chains of each motion in metric world space. Writes the local rotations of their
/// joints, and the translations at the ends of bones that may stretch; no other track is modified.
/// Bones keep the lengths of the clip unless they may stretch. The first frame is the clip's own
/// pose unless a collider, limit, pre-roll, continued clip or cycle changes it. A motion of one
/// frame is not modified. The methods vrm1 and vrm0 simulate the file's own springs (vrm_run.h).
///
/// Metrics of a clip: joints, joint_steps, max_bone_length_error_mm, max_penetration_mm,
/// max_speed_mps; limit_violation_deg where there are limits; loop_cycles, loop_cycles_predicted,
/// loop_seam_deg and loop_seam_degps of cycles. Series of a chain: tip_speed_mps,
/// angle_to_rest_deg, penetration_mm where it has colliders. Warnings: joint_reset,
/// bone_length_changes, teleport, penetration_remains, rod_not_converged, loop_not_closed. Errors:
/// those of makeRig and checkPrior; kRecipe for a number that is not finite or a list of the wrong
/// size; kUnsupported for solids that the method does not support.
Result<std::vector<StageResult>> runDynamicBones(const StageInput& input,
                                                 const DynamicBonesSettings& settings);

/// The stage as the registry lists it.
StageType dynamicBonesType();

}  // namespace clipmill::stages::dynamic_bones
