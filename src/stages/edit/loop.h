// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/edit/settings.h"
#include "stages/stage.h"

namespace clipmill {

/// Makes each motion a cycle: its last pose is its first, and goes on as the first does, while the
/// figure gets over the ground exactly as far as before, each time.
///
/// The way over the ground (GroundTrack of the node that carries it) is taken out, then every track
/// is bent at both ends by cubics in time that give half of what is left between the ends to
/// either, and half of the difference of their velocities; inside the windows nothing changes.
/// Tracks that fit already keep their values, bit for bit.
///
/// Metrics: seam_deg (of all bones, the largest) and seam_mm (of all translations, within their
/// parents), before and after, loop_way_m, loop_turn_deg. Warnings: far_apart where a bone is bent
/// by more than 30 degrees; one_frame. Errors: kRecipe for windows of no length, or longer than
/// half of the clip.
Result<std::vector<StageResult>> runLoop(const StageInput& input, const LoopSettings& settings);

}  // namespace clipmill
