// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/point_paths.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

constexpr double kMaxSamples = 1e6;

// A length this little over whole steps is whole: key times are stored as floats.
constexpr double kWhole = 1e-3;

// The nodes on which some points hang, as a skeleton of their own.
struct Branches {
  std::vector<std::size_t> nodes;  // of the whole skeleton, ascending
  Skeleton skeleton;
  std::vector<std::size_t> position_of_point;  // in `nodes`
};

Branches branchesOf(const Skeleton& skeleton, std::span<const NodePoint> points) {
  std::vector<bool> carries(skeleton.size(), false);
  for (const NodePoint& point : points) {
    for (int n = point.node; n >= 0; n = skeleton.nodes[toSize(n)].parent) {
      carries[toSize(n)] = true;
    }
  }
  Branches branches;
  std::vector<int> position(skeleton.size(), -1);
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    if (!carries[n]) continue;
    position[n] = static_cast<int>(branches.nodes.size());
    branches.nodes.push_back(n);
    Node node = skeleton.nodes[n];
    if (node.parent >= 0) node.parent = position[toSize(node.parent)];
    branches.skeleton.nodes.push_back(std::move(node));
  }
  for (const NodePoint& point : points) {
    branches.position_of_point.push_back(toSize(position[toSize(point.node)]));
  }
  return branches;
}

PointPaths emptyPaths(const TimeGrid& grid, std::size_t points, double per_second) {
  PointPaths paths;
  paths.start_s = grid.start_s;
  const double length_s = grid.end_s - grid.start_s;
  if (length_s > 0.0) {
    const double steps =
        std::clamp(std::ceil(length_s * per_second - kWhole), 1.0, kMaxSamples - 1.0);
    paths.step_s = length_s / steps;
    paths.sample_count = toSize(steps) + 1;
  }
  paths.positions_m.assign(points, std::vector<Vec3>(paths.sample_count));
  return paths;
}

}  // namespace

PointPaths samplePoints(const Scene& scene, const Motion& motion, std::span<const NodePoint> points,
                        double per_second) {
  const Branches branches = branchesOf(scene.skeleton, points);
  PointPaths paths = emptyPaths(motion.grid, points.size(), per_second);
  MotionCursor cursor(scene.skeleton, motion, branches.nodes);
  std::vector<Transform> locals(branches.nodes.size());
  std::vector<Affine> worlds;
  for (std::size_t i = 0; i < paths.sample_count; ++i) {
    const Pose& pose = cursor.at(paths.timeOf(i));
    for (std::size_t n = 0; n < locals.size(); ++n) locals[n] = pose.locals[branches.nodes[n]];
    computeWorlds(branches.skeleton, locals, scene.metric_from_file, worlds);
    for (std::size_t p = 0; p < points.size(); ++p) {
      paths.positions_m[p][i] =
          transformPoint(worlds[branches.position_of_point[p]], points[p].offset);
    }
  }
  return paths;
}

}  // namespace clipmill
