// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/edit/settings.h"
#include "stages/stage.h"

namespace clipmill {

/// Root motion of each motion in another place: the way of the hips along the ground is handed to a
/// root above them (extractRoot()), or the way is taken away (makeInPlace()). What is seen stays
/// the same with kExtract.
///
/// Metrics: root_way_m, from where the root begins to where it ends, and root_turn_deg, before and
/// after. Errors: those of findRootWay(), findCarrier() and findFollowers(). Warnings: those of
/// extractRoot() and makeInPlace().
Result<std::vector<StageResult>> runRoot(const StageInput& input, const RootSettings& settings);

}  // namespace clipmill
