// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// What matchSoleHeights() did.
struct SoleMatch {
  double max_rise_m = 0.0;  ///< Of the hips, up or down.
};

/// Moves the hips of `result`, a clip of `source` on the character of `target`, up or down, and
/// then its feet by their legs, so that soles which bear in the source are on the ground, for any
/// shape of foot and height of ankle. Soles in the air are as high as those of the source, times
/// `scale` (of lengths), and never below a level ground. The hips go with the foot that needs to
/// rise most, as far as the other leg reaches; of a body that lies or sits, what is lowest rests on
/// the ground, and no trunk is in it that is not in the source. In flights the hips go from the
/// rise before to that after, so that these keep their shape.
///
/// Grounds are those of SupportHeights and walkedGround_m(). The motions have the same frames.
/// Nothing where one of both has no feet, or the source is never near the ground and no trunk of
/// the target in it. Modifies the translation of the hips and rotations of legs and feet.
std::optional<SoleMatch> matchSoleHeights(const Scene& source,
                                          const humanoid::HumanoidMap& source_map,
                                          const Motion& motion, const Scene& target,
                                          const humanoid::HumanoidMap& target_map, double scale,
                                          Motion& result);

}  // namespace clipmill::retarget
