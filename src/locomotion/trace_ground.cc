// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/trace_ground.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::locomotion {

namespace {

// The level of a foot may be this share of a leg higher than that of the lowest (soles differ). A
// higher foot was never planted.
constexpr double kUnevenness = 0.05;

// Length of a foot as a share of a leg. Feet that are level, on stairs, have the heel so much times
// the slope above the plane of the ball.
constexpr double kFootShare = 0.3;

}  // namespace

std::vector<Vec3> pathOnGround(const FeetTrace& trace, const std::vector<Vec3>& positions_m) {
  std::vector<Vec3> path;
  path.reserve(positions_m.size());
  for (std::size_t i = 0; i < positions_m.size(); ++i) {
    path.push_back(trace.onGround(positions_m[i], trace.timeOf(i)));
  }
  return path;
}

void findLevels(FeetTrace& trace) {
  for (std::size_t f = 0; f < trace.feet.size(); ++f) {
    FootTrace& foot = trace.feet[f];
    foot.heel_on_ground_m = pathOnGround(trace, foot.heel_m);
    foot.ball_on_ground_m = pathOnGround(trace, foot.ball_m);
    foot.ankle_on_ground_m = pathOnGround(trace, foot.ankle_m);
    foot.heel_level_m = levelOf(foot.heel_on_ground_m);
    foot.ball_level_m = levelOf(foot.ball_on_ground_m);
    const double lower = std::min(foot.heel_level_m, foot.ball_level_m);
    trace.ground_m = f == 0 ? lower : std::min(trace.ground_m, lower);
  }
  const double unevenness = kUnevenness + kFootShare * lengthOf(trace.slope);
  const double highest = trace.ground_m + unevenness * trace.leg_m;
  for (FootTrace& foot : trace.feet) {
    foot.heel_level_m = std::min(foot.heel_level_m, highest);
    foot.ball_level_m = std::min(foot.ball_level_m, highest);
  }
}

Vec3 plantedVelocity(const FeetTrace& trace) {
  Vec3 moved(0.0);
  double sum_s = 0.0;
  const auto add = [&](const std::vector<Vec3>& path_m, const std::vector<TimeSpan>& spans) {
    const auto at = [&](double time_s) {
      return path_m[toSize(std::llround((time_s - trace.start_s) / trace.step_s))];
    };
    for (const TimeSpan& span : spans) {
      moved += at(span.end_s) - at(span.start_s);
      sum_s += span.length();
    }
  };
  for (const FootTrace& foot : trace.feet) {
    add(foot.heel_on_ground_m, foot.heel_on);
    add(foot.ball_on_ground_m, foot.ball_on);
  }
  return sum_s > 0.0 ? Vec3(moved.x, 0.0, moved.z) / sum_s : Vec3(0.0);
}

}  // namespace clipmill::locomotion
