// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/result.h"
#include "stages/stage.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/settings.h"

namespace clipmill::stages::tet_bake {

/// Whether the settings of TetBakeDrive fit each other and the other ones. Error: kRecipe.
Status checkDriveSettings(const TetBakeSettings& settings);

/// Bakes into morphs or helper joints that follow joint rotations (TetBakeDrive::kPose). The clips
/// and `pose_samples` poses between and around theirs (samplePoses()) are solved, the drivers
/// fitted to both (fitDrivenMorphs(), fitDrivenHelpers()); the clips get keys by the drivers. A
/// joint whose driver is farther from the solved surface than plain skinning, over all clips, keeps
/// plain skinning. Metrics of each clip, besides those of a bake: the errors with drivers that were
/// fitted to the other half of the clips (held_out_error_*). Errors: those of bakeMotions().
Result<StageOutput> bakeDriven(const StageInput& input, const TetBakeSettings& settings,
                               const BakeRig& rig);

}  // namespace clipmill::stages::tet_bake
