// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/edit/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::edit {

/// Keeps a part of each motion, which then starts where the clip started, at the same frame rate.
/// Poses do not move. Trimming to the whole clip does not change it. Metrics: duration_s. Error:
/// kRecipe for a part that has no length or is not within the clip.
Result<std::vector<StageResult>> runTrim(const StageInput& input, const TrimSettings& settings);

/// Changes duration, direction or frame rate of each motion. A clip for which nothing changes stays
/// the same bit for bit. Metrics: duration_s, fps; of a humanoid foot_skate_cm and
/// planted_drift_mm, with the warning feet_slide where drift grows by 5 mm. Errors: kRecipe for a
/// duration of a clip of no length; kLimit for too many frames.
Result<std::vector<StageResult>> runRetime(const StageInput& input, const RetimeSettings& settings);

/// The stage as the registry lists it.
StageType trimType();

/// The stage as the registry lists it.
StageType retimeType();

}  // namespace clipmill::stages::edit
