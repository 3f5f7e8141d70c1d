// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/feet/foot_lock_plan.h"

namespace clipmill::feet {

/// The last of a limb's length, as a share, that is approached and never used up.
inline constexpr double kSoftShare = 0.02;

/// A limb with all that is known of it, one value a frame in every list.
struct LimbTask {
  Limb limb;
  Support support;
  EndFrames ends;
  std::vector<Vec3> hip_m;       ///< The upper joint, as the stretched motion has it.
  std::vector<double> length_m;  ///< Of both bones.
  std::vector<double> reach_m;   ///< From hip to end without using up what is kept soft.
  Vec3 forward{0.0};             ///< Side of the bend, in the upper node's own space.
  LimbPlan plan;
  std::vector<double> short_m;  ///< From where the end should be, after all.
};

/// Notes where a limb is in one more frame: in the source, where that matters, and as it is
/// carried. Fills all of a task but times, plan and short_m. Worlds are those of all nodes, metric.
void noteFrame(std::span<const Affine> source, std::span<const Affine> carried, LimbTask& task);

/// Puts the ends of all limbs where their plans want them, in every frame in which one moves, after
/// the hips (a node, or -1) sank by `drop_m` metres; feet stay at their height when the hips sink.
/// Fills LimbTask::short_m and marks the tracks that were written. True when any was.
bool moveLimbs(const Scene& scene, int hips, std::span<const double> drop_m,
               std::vector<LimbTask>& tasks, Motion& motion);

}  // namespace clipmill::feet
