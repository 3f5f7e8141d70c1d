// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/ground_track.h"

#include <algorithm>

#include "scene/few_worlds.h"
#include "scene/ground.h"
#include "scene/root_motion.h"
#include "scene/root_track.h"

namespace clipmill {
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
    means[static_cast<std::size_t>(i)] =
        (sums[static_cast<std::size_t>(last)] - sums[static_cast<std::size_t>(first)]) /
        static_cast<double>(last - first);
  }
  return means;
}

}  // namespace

GroundStep stepBetween(const GroundPlace& from, const GroundPlace& to) {
  return {turned(to.at_m - from.at_m, -from.heading_rad), to.heading_rad - from.heading_rad};
}

GroundPlace placeAfter(const GroundPlace& from, const GroundStep& step) {
  return {from.at_m + turned(step.ahead_m, from.heading_rad), from.heading_rad + step.turn_rad};
}

GroundTrack::GroundTrack(const Scene& scene, const Motion& motion, int node, GroundHeading heading)
    : grid_(motion.grid) {
  const std::vector<Vec3> places_m = placesOf(scene, motion, node);
  std::vector<double> headings_rad = headingsOf(scene, motion, node);
  if (heading == GroundHeading::kOfFigure && bodyNode(scene, node) == node) {
    headings_rad = meansOver(headings_rad, grid_, kStride_s);
  }
  for (std::size_t i = 0; i < places_m.size(); ++i) {
    places_.push_back({Vec3(places_m[i].x, 0.0, places_m[i].z), headings_rad[i]});
  }
}

GroundPlace GroundTrack::at(double time_s) const {
  const FramePair frames = framesAround(grid_, time_s);
  const GroundPlace &a = places_[frames.first], &b = places_[frames.second];
  return {a.at_m + (b.at_m - a.at_m) * frames.fraction,
          a.heading_rad + (b.heading_rad - a.heading_rad) * frames.fraction};
}

GroundPlace GroundTrack::at(double time_s, int cycles) const {
  if (cycles == 0) return at(time_s);
  GroundPlace begin = places_.front();
  for (int k = 0; k < cycles; ++k) begin = placeAfter(begin, whole());
  return placeAfter(begin, stepBetween(places_.front(), at(time_s)));
}

}  // namespace clipmill
