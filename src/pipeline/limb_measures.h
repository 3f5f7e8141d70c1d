// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "scene/humanoid.h"
#include "scene/scene.h"
#include "scene/self_penetration.h"

namespace clipmill {

/// A limb is deep in another part where a vertex is so far inside, in percent of the figure's
/// height.
inline constexpr double kDeepPercent = 1.0;

/// How deep limbs are in other parts of the body, at the frames of a clip and midway between them.
struct DepthMeasures {
  double inside_percent = 0.0;       ///< Share of the limb's vertices that are inside, mean.
  double deep_frames_percent = 0.0;  ///< Share of these instants with a vertex deeper than 1 %.
  double deepest_percent = 0.0;      ///< Depth of the deepest vertex, of the figure's height.
  double longest_deep_s = 0.0;       ///< The longest time without an instant that is not deep.
};

struct LimbMeasures {
  DepthMeasures all;  ///< Of all limbs: deep is what is deep in any pair.
  struct Pair {
    std::string name;  ///< As in PartPair.
    DepthMeasures depths;
  };
  std::vector<Pair> pairs;
};

/// In the all, a limb that is held against several others counts its vertices once.
LimbMeasures measureLimbs(const Scene& scene, const Motion& motion, const SelfPenetration& figure);

/// The root mean square of the angular jerk of both upper arms against the chest, rad/s^3, over
/// thirtieths of a second. Nothing where the figure has no arms or the clip is shorter than three
/// such steps.
std::optional<double> measureArmJerk(const Scene& scene, const HumanoidMap& map,
                                     const Motion& motion);

}  // namespace clipmill
