// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "locomotion/foot_lock_plan.h"

namespace clipmill::locomotion {

/// Writes offsets and yaws of `plan` for the frames of its planted spans: see planLimb(). The
/// contact point keeps one position, also where the stretched motion tilts the end differently from
/// the source.
void planPlantedSpans(const Support& support, const EndFrames& frames, const PlanSettings& settings,
                      LimbPlan& plan);

}  // namespace clipmill::locomotion
