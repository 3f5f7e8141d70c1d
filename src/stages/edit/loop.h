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
/// either, and half of the difference of their velocities; between the windows nothing changes.
/// Tracks that fit already keep their values, bit for bit. The way is bent likewise, so that its
/// speed does not jump, and put back. Feet that stand in the clip are then held by lockFeet() as
/// they stood there, those that stand over the seam in one place.
///
/// Metrics: seam_deg (of all bones, the largest) and seam_mm (of all translations, within their
/// parents), seam_speed_mps (of the way), before and after, loop_way_m, loop_turn_deg, and those of
/// lockFeet(). Warnings: far_apart where a bone is bent by more than 30 degrees; one_frame;
/// foot_out_of_reach. Errors: kRecipe for windows of no length, or longer than half of the clip, or
/// where feet are to be held and there are none.
Result<std::vector<StageResult>> runLoop(const StageInput& input, const LoopSettings& settings);

}  // namespace clipmill
