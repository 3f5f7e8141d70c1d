// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/planted_points.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "locomotion/foot_contacts.h"

namespace clipmill::pipeline {
namespace {

void addSpans(std::span<const locomotion::TimeSpan> spans, const NodePoint& mark,
              const TimeGrid& grid, double tolerance, std::vector<HeldPoint>& points) {
  constexpr double kSameFrame = 1e-6;
  const double last = static_cast<double>(grid.frame_count - 1);
  for (const locomotion::TimeSpan& span : spans) {
    const double start = std::ceil((span.start_s - grid.start_s) * grid.fps - kSameFrame);
    const double end = std::floor((span.end_s - grid.start_s) * grid.fps + kSameFrame);
    if (end < start) continue;
    points.push_back({toSize(mark.node), mark.offset, toSize(std::clamp(start, 0.0, last)),
                      toSize(std::clamp(end, 0.0, last)), tolerance});
  }
}

}  // namespace

std::vector<HeldPoint> plantedPoints(const Scene& scene, const humanoid::HumanoidMap& map,
                                     const Motion& motion, double tolerance) {
  std::vector<HeldPoint> points;
  const locomotion::FeetTrace trace = locomotion::traceFeet(scene, map, motion);
  for (const locomotion::FootTrace& foot : trace.feet) {
    addSpans(foot.heel_on, foot.marks.heel, motion.grid, tolerance, points);
    addSpans(foot.ball_on, foot.marks.ball, motion.grid, tolerance, points);
  }
  return points;
}

}  // namespace clipmill::pipeline
