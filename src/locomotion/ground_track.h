// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"

/// Root trajectory of a character on the ground, apart from its pose. Metric space, y up.
namespace clipmill::locomotion {

/// Position and heading of a character.
struct GroundPosition {
  Vec3 at_m{0.0};            ///< y is 0.
  double heading_rad = 0.0;  ///< About the vertical; unwrapped.
};

/// A step relative to the character that makes it.
struct GroundStep {
  Vec3 ahead_m{0.0};  ///< In axes rotated by the heading at its start; y is 0.
  double rotation_rad = 0.0;
};

GroundStep stepBetween(const GroundPosition& from, const GroundPosition& to);
GroundPosition positionAfter(const GroundPosition& from, const GroundStep& step);

/// Heading of a character: the yaw of its root-motion joint relative to the rest pose; or the mean
/// of that over a second where the character branches at the joint, as hips swing with every step.
enum class GroundHeading { kOfNode, kOfCharacter };

/// Trajectory of the root-motion joint through a clip.
class GroundTrack {
 public:
  GroundTrack(const Scene& scene, const Motion& motion, int node, GroundHeading heading);

  /// At any time of the clip, linear between its frames.
  GroundPosition at(double time_s) const;
  /// The same after so many whole clips, each started where the one before it ended.
  GroundPosition at(double time_s, int cycles) const;
  /// From the start of the clip to its end.
  GroundStep whole() const { return stepBetween(positions_.front(), positions_.back()); }

 private:
  TimeGrid grid_;
  std::vector<GroundPosition> positions_;  // one a frame
};

}  // namespace clipmill::locomotion
