// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// Moves the hips of `result`, a clip of `source` on the character of `target`, up or down at every
/// frame, so that its soles are as high above the ground as those of the source, times `scale` (of
/// lengths). Feet of other shape or with other ankles are then on the ground where those of the
/// source are. The sole is the lowest vertex of the skin that follows foot and toes most; the
/// ground is its height at bind; for a source that was bound far from the floor that it walks on,
/// the height that its sole is below for a twentieth of the clip. Steps are averaged over time
/// (Gaussian, sigma 1/30 s), and at most 0.15 of a leg. Does nothing where one of both has no skin
/// at its feet.
void matchSoleHeights(const Scene& source, const humanoid::HumanoidMap& source_map,
                      const Motion& motion, const Scene& target,
                      const humanoid::HumanoidMap& target_map, double scale, Motion& result);

}  // namespace clipmill::retarget
