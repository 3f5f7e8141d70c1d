// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "locomotion/foot_lock_plan.h"

namespace clipmill::locomotion {

/// Between planted spans of `plan`, where the foot of the clip is near its ground
/// (EndFrames::pace_weights), the end moves along the ground as that foot does
/// (EndFrames::pace_m): one that taps the ground too shortly for a contact, slides or shifts its
/// weight does not skate faster than in the clip. Offsets change smoothly, and return to those of
/// the plan off the ground. Planted frames, heights and yaws stay. Nothing without
/// EndFrames::pace_m.
void followPace(const EndFrames& frames, const PlanSettings& settings, LimbPlan& plan);

}  // namespace clipmill::locomotion
