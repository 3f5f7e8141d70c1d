// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/edit/settings.h"
#include "stages/stage.h"

namespace clipmill {

/// Keeps a part of each motion, which then begins where the clip began, at the same frame rate.
/// Poses stay where they were. The whole of a clip is left as it is. Metrics: duration_s. Error:
/// kRecipe for a part that has no length or is not within the clip.
Result<std::vector<StageResult>> runTrim(const StageInput& input, const TrimSettings& settings);

/// Makes each motion longer, shorter, backwards, or gives it another frame rate. What changes
/// nothing leaves the clip as it is. Metrics: duration_s, fps. Errors: kRecipe for a clip of no
/// length that is to last; kLimit for frames beyond what fits in memory.
Result<std::vector<StageResult>> runRetime(const StageInput& input, const RetimeSettings& settings);

}  // namespace clipmill
