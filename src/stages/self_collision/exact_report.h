// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/motion.h"
#include "scene/self_penetration.h"
#include "stages/self_collision/exact_depths.h"
#include "stages/self_collision/exact_limb.h"
#include "stages/stage.h"

namespace clipmill::collision {

/// What was made of a clip, for the report.
struct FreedClip {
  const LimbPoser& poser;
  const Motion& source;
  const Motion& result;
  const SourceMeasures& before;
  const DepthTable& after;
  std::vector<std::vector<bool>> touches_after;  ///< [pair][sample]: still near.
};

/// Adds metrics, series and warnings of freeClip() to `report`.
void reportFreedClip(const FreedClip& clip, const SelfPenetration& skin, StageResult& report);

/// Adds the warnings contact_given_up, with the pairs that no longer touch where they did, counted
/// in frames, and jerk_above_limit, where shoulders or hips are rougher than `jerk_ratio` times
/// what they were. `reasons`: why a pair's touch is lost, one a pair.
void warnOfLosses(const FreedClip& clip, const SelfPenetration& skin, double jerk_ratio,
                  const std::vector<std::string>& reasons, StageResult& report);

}  // namespace clipmill::collision
