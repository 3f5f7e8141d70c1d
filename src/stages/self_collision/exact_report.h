// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

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

}  // namespace clipmill::collision
