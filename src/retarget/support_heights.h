// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// The parts of a body that rest on the ground, as indices of the lists below.
/// The last one is all but the feet.
inline constexpr std::size_t kLeftSole = 0, kRightSole = 1, kTrunkPart = 2, kBodyPart = 3;
inline constexpr std::size_t kSoles[] = {kLeftSole, kRightSole};

/// How high the parts of a character are along a clip, in metres.
struct SupportHeights {
  /// [part][frame] of the lowest of its SupportPoints; HUGE_VAL for a part without any.
  std::array<std::vector<double>, 4> heights_m;
  std::vector<double> hips_m;   ///< Of the joint.
  std::vector<double> upright;  ///< Cosine between up and the direction from hips to head.
  double bound_m = 0.0;         ///< The lower sole at bind.
  double standing_m = 1.0;      ///< Hips over that at bind.
  double leg_m = 1.0;
  bool has_skin = false;  ///< Of the feet.

  std::size_t frameCount() const { return hips_m.size(); }
  double lowerSole_m(std::size_t frame) const;
  /// The ground that a character is made for: height 0 where its soles are bound near that, else
  /// their height.
  double ground_m() const;
};

/// Nothing for a character without hips, legs or feet.
std::optional<SupportHeights> supportHeights(const Scene& scene, const humanoid::HumanoidMap& map,
                                             const Motion& motion);

/// When the feet of a clip are planted.
struct PlantedFeet {
  std::array<std::vector<bool>, 2> frames;  ///< [sole][frame]
  bool is_flat = true;                      ///< The ground has no slope.
};
PlantedFeet plantedFeet(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& motion);

/// The ground that the clip of a source walks on: that of the character, unless its planted soles
/// (without the lowest and the highest tenth) are all apart from it by a little, or by much and
/// near to height 0 (bound far from the floor). Frames in which it is on its feet count, if there
/// are any. Feet without a skin are planted on the ground.
double walkedGround_m(const SupportHeights& heights, const PlantedFeet& planted);

}  // namespace clipmill::retarget
