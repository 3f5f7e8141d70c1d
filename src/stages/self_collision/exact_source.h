// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/motion.h"
#include "scene/self_penetration.h"
#include "stages/self_collision/exact_depths.h"
#include "stages/self_collision/exact_limb.h"
#include "stages/self_collision/exact_skin.h"

namespace clipmill::collision {

/// Depths of all pairs at frames and midpoints of a motion, and the touches of its arms: nearer
/// than 2 % of the figure's height, or inside, and slower against each other than a tenth of the
/// height a second, for 0.15 s.
SourceMeasures measureSource(const Scene& scene, const SelfPenetration& skin,
                             const LimbPoser& poser, const Motion& motion, double tolerance_m,
                             SkinTrial& trial);

/// Which of the touches of the source are still near, [pair][sample].
std::vector<std::vector<bool>> touchesKept(const Scene& scene, const SelfPenetration& skin,
                                           const SourceMeasures& source, const Motion& result,
                                           SkinTrial& trial);

/// At which samples the end of each limb has to stay in the world: feet that stand. [limb][sample].
std::vector<std::vector<bool>> heldEnds(const Scene& scene, const HumanoidMap& map,
                                        const LimbPoser& poser, const Motion& motion);

}  // namespace clipmill::collision
