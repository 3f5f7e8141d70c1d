// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/stage.h"
#include "stages/stretch/settings.h"

namespace clipmill::stages::stretch {

/// Makes the root motion of each motion end at the target of the settings: writes the local
/// translation of the root-motion joint and of its followers, and their rotation where yaw changes.
/// Paths are metric, y up; they are sampled between frames too, so that the result does not depend
/// on the frame rate. Holds of the clip stay holds. Where the duration changes the motion gets
/// another grid, and all animated tracks are marked as modified.
///
/// Before that root motion is moved to the root joint or removed, see StretchSettings::root_motion.
/// A motion of one frame stays as it is (warning one_frame).
///
/// Metrics of a clip: root_path_m, root_net_m, max_speed_mps, duration_s, step_amplification,
/// still_motion_mm, reversed_steps, end_error_mm, target_missing_m, yaw_missing_deg,
/// airborne_gravity_mps2 where there is a flight, and those of lockFeet() where there are legs,
/// whose planted feet are locked. Series: root_speed_mps. Points: the root. Warnings: those of the
/// parts, reversed_steps, stretched_far, left_behind, flight_slowed. Errors: kRecipe where there is
/// nothing to do, for a root that does not move, and those of RootWarp::plan; kNotFound for nodes
/// that are not there.
Result<std::vector<StageResult>> runStretch(const StageInput& input,
                                            const StretchSettings& settings);

/// The stage as the registry lists it.
StageType stretchType();

}  // namespace clipmill::stages::stretch
