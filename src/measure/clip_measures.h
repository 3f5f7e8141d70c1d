// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "locomotion/foot_contacts.h"
#include "scene/scene.h"

namespace clipmill::measure {

/// The largest accelerations of both knees, over thirtieths of a second.
struct KneeMeasures {
  double acceleration_mps2 = 0.0;             ///< Of the joint in the world.
  double rotation_acceleration_degps2 = 0.0;  ///< Of its angle.
};

/// Nothing where the character has no complete leg or the clip is shorter than two thirtieths.
std::optional<KneeMeasures> measureKnees(const Scene& scene, const humanoid::HumanoidMap& map,
                                         const Motion& motion);

/// The longest time in which both feet are off the ground, if there is one of 0.15 s.
std::optional<locomotion::TimeSpan> longestFlight(const locomotion::FeetTrace& feet);

/// The distance of the end of a clip from its start, as a cycle. Where the root ends
/// elsewhere by more than a tenth of the character's height, or rotated by more than 15 degrees,
/// the clip continues from there: the end is moved back, horizontally and about the vertical.
struct LoopSeam {
  double distance_mm = 0.0;   ///< Largest of any node.
  double rotation_deg = 0.0;  ///< Largest of any node.
  /// Largest change of velocity of any node from the last frame to the first, over the largest
  /// speed of any node in the clip; no value where no node moves.
  std::optional<double> speed_percent;
};

/// `root` is the root-motion joint, or is -1. Nothing for fewer than three frames.
std::optional<LoopSeam> measureSeam(const Scene& scene, const Motion& motion, int root,
                                    double height_m);

/// Number of node transforms, over all frames, with NaN or infinity.
std::size_t countNonFinite(const Scene& scene, const Motion& motion);

}  // namespace clipmill::measure
