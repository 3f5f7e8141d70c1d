// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"

/// The way of a figure over the ground, apart from its pose. Metric space, y up.
namespace clipmill {

/// Where a figure stands and which way it faces.
struct GroundPlace {
  Vec3 at_m{0.0};            ///< y is 0.
  double heading_rad = 0.0;  ///< About the vertical; whole turns count.
};

/// A step as the figure that makes it sees it.
struct GroundStep {
  Vec3 ahead_m{0.0};  ///< In axes turned by the heading at its begin; y is 0.
  double turn_rad = 0.0;
};

GroundStep stepBetween(const GroundPlace& from, const GroundPlace& to);
GroundPlace placeAfter(const GroundPlace& from, const GroundStep& step);

/// Where a figure is said to look: as the node that carries it is turned about the vertical away
/// from its rest pose; or the mean of that over a second where the figure branches at the node, as
/// hips swing with every step.
enum class GroundHeading { kOfNode, kOfFigure };

/// The way of the node that carries a figure through a clip.
class GroundTrack {
 public:
  GroundTrack(const Scene& scene, const Motion& motion, int node, GroundHeading heading);

  /// At any time of the clip, linear between its frames.
  GroundPlace at(double time_s) const;
  /// The same after so many whole clips, each begun where the one before it ended.
  GroundPlace at(double time_s, int cycles) const;
  /// From the begin of the clip to its end.
  GroundStep whole() const { return stepBetween(places_.front(), places_.back()); }

 private:
  TimeGrid grid_;
  std::vector<GroundPlace> places_;  // one a frame
};

}  // namespace clipmill
