// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/motion.h"
#include "penetration/self_penetration.h"
#include "stages/self_collision/exact/clip_measures.h"
#include "stages/self_collision/exact/limb_pose.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// A clip before and after the stage, for the report.
struct ClipComparison {
  const LimbPoser& poser;
  const Motion& source;
  const Motion& result;
  const ClipMeasures& before;
  const DepthTable& after;
  std::vector<std::vector<bool>> contacts_after;  ///< Of contactsKept().
};

/// Adds the metrics, series and the warning penetration_remains of resolveClip() to `report`.
void reportClip(const ClipComparison& clip, const penetration::SelfPenetration& skin,
                StageResult& report);

/// Adds the warning contact_dropped, with the pairs that are no longer in contact, counted in
/// frames. `reasons`: why a contact is open, one per pair.
void warnOfSideEffects(const ClipComparison& clip, const penetration::SelfPenetration& skin,
                       const std::vector<std::string>& reasons, StageResult& report);

}  // namespace clipmill::stages::self_collision
