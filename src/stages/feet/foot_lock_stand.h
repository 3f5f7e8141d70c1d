// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/feet/foot_lock_plan.h"

namespace clipmill::feet {

/// Writes offsets and turns of `plan` for the frames of its stands: see planLimb(). What the end
/// stands on stays in one place, also where the stretched motion tips the end otherwise than the
/// source does.
void planStands(const Support& support, const EndFrames& frames, const PlanSettings& settings,
                LimbPlan& plan);

}  // namespace clipmill::feet
