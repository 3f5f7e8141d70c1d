// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "anim/motion.h"
#include "scene/foot_contacts.h"
#include "scene/humanoid.h"
#include "scene/scene.h"

namespace clipmill {

/// The largest accelerations of both knees, over thirtieths of a second.
struct KneeMeasures {
  double acceleration_mps2 = 0.0;         ///< Of the joint in the world.
  double turn_acceleration_degps2 = 0.0;  ///< Of its angle.
};

/// Nothing where the figure has no complete leg or the clip is shorter than two thirtieths.
std::optional<KneeMeasures> measureKnees(const Scene& scene, const HumanoidMap& map,
                                         const Motion& motion);

/// The longest time in which both feet are off the ground, if there is one of 0.15 s.
std::optional<TimeSpan> longestFlight(const FeetTrace& feet);

/// How far the end of a clip is from its begin, if it is played as a cycle. Where the root ends
/// elsewhere by more than a tenth of the figure's height, or turned by more than 15 degrees, the
/// clip goes on from there: the end is moved back, horizontally and about the vertical.
struct LoopSeam {
  double distance_mm = 0.0;    ///< Largest of any node.
  double turn_deg = 0.0;       ///< Largest of any node.
  double speed_percent = 0.0;  ///< Largest change of velocity of any node from the last frame to
                               ///< the first, over the largest speed of any node in the clip.
};

/// `root` carries the way, or is -1. Nothing for fewer than three frames.
std::optional<LoopSeam> measureSeam(const Scene& scene, const Motion& motion, int root,
                                    double height_m);

/// How many maps of nodes, over all frames, are not finite.
std::size_t countNonFinite(const Scene& scene, const Motion& motion);

}  // namespace clipmill
