// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/edit/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::edit {

/// Moves the root motion of the hips to a root joint above them (extractRoot()), or removes it
/// (makeInPlace()). kExtract does not change world poses.
///
/// Metrics: root_net_m, horizontal distance of the root from start to end, and root_yaw_deg, before
/// and after. Errors: those of findRootTrajectory(), findRootMotionJoint() and findFollowers().
/// Warnings: those of extractRoot() and makeInPlace().
Result<std::vector<StageResult>> runRoot(const StageInput& input, const RootSettings& settings);

/// The stage as the registry lists it.
StageType rootType();

}  // namespace clipmill::stages::edit
