// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "locomotion/foot_lock_plan.h"

namespace clipmill::locomotion {

/// Shifts the planted spans of `plan` along the ground so that from one to the next an end goes no
/// farther than the foot of the clip does there (EndFrames::moved_m): a pelvis that rotates over
/// planted feet carries those of another build apart by more. Short spans are shifted more than
/// long ones. Steps that are short enough stay as they are, and all do without EndFrames::moved_m.
/// Offsets of other frames are not read.
void keepStepLengths(const EndFrames& frames, const PlanSettings& settings, LimbPlan& plan);

}  // namespace clipmill::locomotion
