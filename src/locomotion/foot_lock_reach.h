// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "locomotion/foot_lock_plan.h"

namespace clipmill::locomotion {

/// Shifts the planted spans of `plan` along the ground, each by little more than it needs, so that
/// the limb reaches its end in all their frames (EndFrames::reach), and in those beside them in
/// which the foot of the clip still rests: legs of another build may not reach the mean of the
/// positions to which they are carried. Spans in reach stay as they are. A span that no one
/// position serves gets one between those that do. In a cycle a span that the seam cuts is shifted
/// as one. Offsets of other frames are not read.
void keepSpansInReach(const EndFrames& frames, const PlanSettings& settings, LimbPlan& plan);

}  // namespace clipmill::locomotion
