// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "anim/motion.h"
#include "locomotion/foot_lock_move.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

struct HipsDropLimits {
  double max_share = 0.0;  ///< Largest drop, in lengths of a leg.
  /// Hips drop for a foot of the clip that is as slow as this, too, planted or not.
  double slow_mps = 0.0;
  /// Given: the height by which a straight leg may lift its foot between contacts (keepInReach()).
  std::optional<double> lift_m;
  bool is_cycle = false;
};

/// The drop of the hips (a node, or -1) at every frame of `grid`, in metres, with which legs reach
/// the targets of their plans. Also fits the targets to the legs: see keepInReach() and pullFeet().
/// Where a foot would be held in part, because its knee would snap, hips drop farther and bend the
/// leg: by the least of a few drops after which all feet are held in full, else by the one after
/// which they are held most.
std::vector<double> dropHips(const Skeleton& skeleton, int hips, const TimeGrid& grid,
                             const HipsDropLimits& limits, std::vector<LimbTask>& tasks);

}  // namespace clipmill::locomotion
