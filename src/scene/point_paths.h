// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"

namespace clipmill {

/// A point that moves with a node.
struct NodePoint {
  int node = 0;      ///< Index in Skeleton::nodes.
  Vec3 offset{0.0};  ///< In the node's own space.
};

/// Where points are at equal steps of time, from the first to the last instant of a clip.
struct PointPaths {
  double start_s = 0.0;
  double step_s = 0.0;  ///< 0 for a clip of no length, which has one sample.
  std::size_t sample_count = 1;
  std::vector<std::vector<Vec3>> positions_m;  ///< [point][sample], metric world.

  double timeOf(std::size_t sample) const { return start_s + static_cast<double>(sample) * step_s; }
};

/// The paths of `points` in `motion`. Tracks that no stage modified are taken from the clip as
/// authored, so that the paths do not depend on the frames of the motion. At least `per_second`
/// samples a second, but at most a million in all.
PointPaths samplePoints(const Scene& scene, const Motion& motion, std::span<const NodePoint> points,
                        double per_second = 120.0);

}  // namespace clipmill
