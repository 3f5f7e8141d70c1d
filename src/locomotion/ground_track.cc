// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/ground_track.h"

#include <algorithm>

#include "core/to_size.h"
#include "locomotion/ground.h"
#include "locomotion/root_joint.h"
#include "locomotion/root_motion.h"
#include "scene/partial_pose.h"

namespace clipmill::locomotion {
namespace {

constexpr double kStride_s = 1.0;

// Means over a window, which is cut at the ends of the clip.
std::vector<double> meansOver(const std::vector<double>& values, const TimeGrid& grid,
                              double width_s) {
  const auto n = static_cast<std::ptrdiff_t>(values.size());
  const auto half = static_cast<std::ptrdiff_t>(0.5 * width_s * grid.fps + 0.5);
  std::vector<double> sums(values.size() + 1, 0.0), means(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sums[i + 1] = sums[i] + values[i];
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const std::ptrdiff_t first = std::max<std::ptrdiff_t>(i - half, 0);
    const std::ptrdiff_t last = std::min(i + half + 1, n);
    means[toSize(i)] =
        (sums[toSize(last)] - sums[toSize(first)]) / static_cast<double>(last - first);
  }
  return means;
}

}  // namespace

GroundStep stepBetween(const GroundPosition& from, const GroundPosition& to) {
  return {rotated(to.at_m - from.at_m, -from.heading_rad), to.heading_rad - from.heading_rad};
}

GroundPosition positionAfter(const GroundPosition& from, const GroundStep& step) {
  return {from.at_m + rotated(step.ahead_m, from.heading_rad),
          from.heading_rad + step.rotation_rad};
}

GroundTrack::GroundTrack(const Scene& scene, const Motion& motion, int node, GroundHeading heading)
    : grid_(motion.grid) {
  const std::vector<Vec3> positions_m = positionsOf(scene, motion, node);
  std::vector<double> headings_rad = headingsOf(scene, motion, node);
  if (heading == GroundHeading::kOfCharacter && bodyNode(scene, node) == node) {
    headings_rad = meansOver(headings_rad, grid_, kStride_s);
  }
  for (std::size_t i = 0; i < positions_m.size(); ++i) {
    positions_.push_back({Vec3(positions_m[i].x, 0.0, positions_m[i].z), headings_rad[i]});
  }
}

GroundPosition GroundTrack::at(double time_s) const {
  const FramePair frames = framesAround(grid_, time_s);
  const GroundPosition &a = positions_[frames.first], &b = positions_[frames.second];
  return {a.at_m + (b.at_m - a.at_m) * frames.fraction,
          a.heading_rad + (b.heading_rad - a.heading_rad) * frames.fraction};
}

GroundPosition GroundTrack::at(double time_s, int cycles) const {
  if (cycles == 0) return at(time_s);
  GroundPosition start = positions_.front();
  for (int k = 0; k < cycles; ++k) start = positionAfter(start, whole());
  return positionAfter(start, stepBetween(positions_.front(), at(time_s)));
}

}  // namespace clipmill::locomotion
