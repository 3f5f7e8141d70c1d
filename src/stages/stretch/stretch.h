// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/stage.h"
#include "stages/stretch/settings.h"

namespace clipmill {

/// Makes the way of each motion end at the target of the settings: writes the local translation of
/// the node that carries the way, of what follows it, and their rotation where the figure is to
/// turn. Paths are metric, y up; they are looked at between the frames too, so that the result does
/// not depend on the frame rate. What stands still in the clip stays still. Where time is made
/// longer or shorter the motion gets another grid, and all that the clip animates is touched.
///
/// Before that root motion is handed to the root or taken away, if the settings say so. A motion of
/// one frame stays as it is (warning one_frame).
///
/// Metrics of a clip: root_path_m, root_net_m, max_speed_mps, duration_s, step_amplification,
/// still_motion_mm, reversed_steps, end_error_mm, target_missing_m, turn_missing_deg,
/// airborne_gravity_mps2 where there is a flight, and those of lockFeet() where there are legs,
/// whose feet are held where they stand. Series: root_speed_mps. Points: the root. Warnings: those
/// of the parts, reversed_steps, stretched_far, left_behind, flight_slowed. Errors: kRecipe where
/// there is nothing to do, for a path that stands still, and those of Journey::plan; kNotFound for
/// nodes that are not there.
Result<std::vector<StageResult>> runStretch(const StageInput& input,
                                            const StretchSettings& settings);

}  // namespace clipmill
