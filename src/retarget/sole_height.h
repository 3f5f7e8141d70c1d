// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// A clip of one character, and the character that a copy of it is on. Both motions have the same
/// frames.
struct ClipOnCharacter {
  const Scene& source;
  const humanoid::HumanoidMap& source_map;
  const Motion& motion;  ///< On the source.
  const Scene& target;
  const humanoid::HumanoidMap& target_map;
  double scale = 1.0;  ///< Of lengths, from source to target.
};

/// What matchSoleHeights() did.
struct SoleMatch {
  double max_rise_m = 0.0;  ///< Of the hips, up or down.
};

/// Limits the roll of feet whose ankle is higher than that of the source (limitFootRoll()). Moves
/// the hips of `result`, the copy of `clip`, up or down, and then its feet by their legs, so
/// that soles which bear in the source are on the ground, for any shape of foot and height of
/// ankle. Soles in the air are as high as those of the source, times the scale of lengths, and
/// never below a level ground. The hips go with the foot that needs to rise most, as far as the
/// other leg reaches; of a body that lies or sits, what is lowest rests on the ground, and no trunk
/// is in it that is not in the source. In flights the hips go from the rise before to that after,
/// so that these keep their shape.
///
/// Grounds are those of SupportHeights and walkedGround_m(). Nothing where one of both has no feet,
/// or the source is never near the ground and no trunk of the target in it. Modifies the
/// translation of the hips and rotations of legs and feet.
std::optional<SoleMatch> matchSoleHeights(const ClipOnCharacter& clip, Motion& result);

/// Brings soles that are on the ground in the clip, and off it by little after feet were moved
/// along the ground, back onto it: by less than 6 % of the height of hips. Where a straight leg
/// does not reach, the hips drop, by no more than 8 % of a leg, and no trunk into the ground. Feet
/// keep their positions along the ground; the rest of the body is as it is. Returns how far from
/// the ground a planted sole is left, or 0 where that is less than 1 % of the height of hips.
double settleSoles(const ClipOnCharacter& clip, Motion& result);

}  // namespace clipmill::retarget
