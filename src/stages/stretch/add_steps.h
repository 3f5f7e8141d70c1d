// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/scene.h"
#include "stages/stretch/gait_cycle.h"

namespace clipmill::stages::stretch {

/// A clip with repeated cycles.
struct RepeatedSteps {
  Motion motion;
  std::size_t cycles_added = 0;
  double net_m = 0.0;  ///< Distance along the ground from the start of `motion` to its end.
};

/// `motion` with as many more repetitions of `cycle` as bring its end nearest to `distance_m` from
/// its start, as a ratio. All tracks repeat. `moved` are the root-motion joint and the nodes that
/// travel with it: each repetition starts where the one before it ended, rotated by the heading
/// that a cycle gains, where that is at least 5 degrees. The difference of the poses at both ends
/// of the cycle is spread over 0.2 s around each seam, at most a quarter of the cycle on each side.
/// With no cycle to add the motion stays as it is.
///
/// Errors, kLimit: more than 1000 cycles; a motion that needs more memory than `max_bytes`.
Result<RepeatedSteps> repeatSteps(const Scene& scene, const Motion& motion,
                                  std::span<const int> moved, const GaitCycle& cycle,
                                  double distance_m, double max_bytes, Warnings& warnings);

}  // namespace clipmill::stages::stretch
