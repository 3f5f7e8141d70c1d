// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "penetration/self_penetration.h"
#include "scene/scene.h"

namespace clipmill::measure {

/// Penetration counts where the depth of a vertex in another part exceeds this, in percent of the
/// character's height.
inline constexpr double kPenetrationTolerance_percent = 1.0;

/// Penetration of limbs into other parts of the body, at the frames of a clip and midway between
/// them.
struct DepthMeasures {
  double penetrating_vertices_percent =
      0.0;  ///< Share of the limb's vertices that are inside, mean.
  double penetrating_frames_percent =
      0.0;  ///< Share of these instants with a vertex in penetration of more than 1 %.
  double max_penetration_percent = 0.0;  ///< Largest penetration depth, of the character's height.
  double max_penetration_at_s = 0.0;     ///< Time of that depth in the clip; 0 without any.
  double max_penetration_duration_s = 0.0;  ///< The longest run of such instants.
};

struct LimbPenetration {
  DepthMeasures all;  ///< Of all limbs: the worst pair at each instant.
  struct Pair {
    std::string name;  ///< As in PartPair.
    DepthMeasures depths;
  };
  std::vector<Pair> pairs;
};

/// In `all`, a limb that is tested against several other parts counts its vertices once.
LimbPenetration measureLimbPenetration(const Scene& scene, const Motion& motion,
                                       const penetration::SelfPenetration& character);

/// The root mean square of the angular jerk of both upper arms against the chest, rad/s^3, over
/// thirtieths of a second. Nothing where the character has no arms or the clip is shorter than
/// three such steps.
std::optional<double> measureArmJerk(const Scene& scene, const humanoid::HumanoidMap& map,
                                     const Motion& motion);

}  // namespace clipmill::measure
