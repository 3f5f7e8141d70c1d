// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "locomotion/foot_lock_plan.h"

namespace clipmill::locomotion {

/// Those of `spans` that overlap `window`. They ascend without overlap, as unionOf() returns them.
std::span<const TimeSpan> spansWithin(std::span<const TimeSpan> spans, const TimeSpan& window);

/// Writes offsets and yaws of `plan` for the frames of its planted spans: see planLimb(). The
/// contact point keeps one position, also where the stretched motion tilts the end differently from
/// the source.
void planPlantedSpans(const Support& support, const EndFrames& frames, const PlanSettings& settings,
                      LimbPlan& plan);

}  // namespace clipmill::locomotion
