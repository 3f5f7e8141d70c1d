// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

struct HandKeepReport {
  bool found_arms = false;  ///< False where either map lacks hips, both arms or a hand.
  double farthest_m = 0.0;  ///< How far a hand had to be moved.
  double short_m = 0.0;     ///< Largest distance from a target that an arm does not reach.
};

/// Puts the hands of `transferred`, a motion of `target` made from `motion` of `source` (the same
/// frames), where those of the source are: in the axes of the shoulders (along the line between the
/// upper arms, and up from the hips), times the ratio of the lengths of the arms. So two hands that
/// hold one thing or clap go on to, also between characters with other shoulders. Two-bone IK;
/// hands keep their world rotations. Writes rotations of upper and lower arms and hands.
HandKeepReport keepHands(const Scene& source, const humanoid::HumanoidMap& source_map,
                         const Motion& motion, const Scene& target,
                         const humanoid::HumanoidMap& target_map, Motion& transferred);

}  // namespace clipmill::locomotion
