// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/stage.h"

namespace clipmill {

/// Lets the chains of each motion swing, and writes the local rotations of their joints; nothing
/// else is touched. The simulation runs in metric world space. Bone lengths are those of the clip,
/// and the first frame is the clip's own pose; a motion of one frame stays as it is.
///
/// Metrics of a clip: joints, joint_steps, max_bone_length_error_mm, deepest_penetration_mm,
/// max_speed_mps. Series of a chain: tip_speed_mps, angle_to_rest_deg, penetration_mm where it has
/// colliders. Warnings: joint_reset, bone_length_changes. Errors: those of bones::makeRig, and
/// kRecipe for a number that is not finite or a list of the wrong size. For the methods vrm1 and
/// vrm0 all this is that of bones::runVrmSprings.
Result<std::vector<StageResult>> runDynamicBones(const StageInput& input,
                                                 const DynamicBonesSettings& settings);

}  // namespace clipmill
