// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/path_measures.h"

#include <algorithm>

#include "locomotion/flight.h"
#include "locomotion/ground.h"

namespace clipmill::locomotion {

std::vector<double> speedsOf(std::span<const double> times_s, std::span<const Vec3> points_m) {
  std::vector<double> speeds_mps(points_m.size(), 0.0);
  for (std::size_t i = 1; i < points_m.size(); ++i) {
    speeds_mps[i] = horizontalLength(points_m[i] - points_m[i - 1]) / (times_s[i] - times_s[i - 1]);
  }
  if (speeds_mps.size() > 1) speeds_mps[0] = speeds_mps[1];
  return speeds_mps;
}

PathMeasures measurePath(std::span<const double> times_s, std::span<const Vec3> points_m) {
  PathMeasures measures;
  if (points_m.empty()) return measures;
  for (double speed_mps : speedsOf(times_s, points_m)) {
    measures.max_speed_mps = std::max(measures.max_speed_mps, speed_mps);
  }
  for (std::size_t i = 1; i < points_m.size(); ++i) {
    measures.length_m += horizontalLength(points_m[i] - points_m[i - 1]);
  }
  measures.net_m = horizontalLength(points_m.back() - points_m.front());
  return measures;
}

StepChanges compareSteps(std::span<const Vec3> before_m, std::span<const Vec3> after_m,
                         double still_m) {
  constexpr double kCounts = 0.05;
  double max_step_m = 0.0;
  for (std::size_t i = 1; i < before_m.size(); ++i) {
    max_step_m = std::max(max_step_m, horizontalLength(before_m[i] - before_m[i - 1]));
  }
  StepChanges changes{0.0, 0.0};
  for (std::size_t i = 1; i < before_m.size(); ++i) {
    const double was_m = horizontalLength(before_m[i] - before_m[i - 1]);
    const double is_m = horizontalLength(after_m[i] - after_m[i - 1]);
    if (was_m < still_m) changes.still_motion_m = std::max(changes.still_motion_m, is_m);
    if (was_m > 0.0 && was_m >= kCounts * max_step_m) {
      changes.amplification = std::max(changes.amplification, is_m / was_m);
    }
  }
  if (max_step_m == 0.0) changes.amplification = 1.0;
  return changes;
}

std::optional<double> gravityOf(std::span<const double> times_s, std::span<const Vec3> points_m,
                                double start_s, double end_s) {
  constexpr double kSameInstant_s = 1e-9;
  std::vector<double> inside_s, heights_m;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    if (times_s[i] < start_s - kSameInstant_s || times_s[i] > end_s + kSameInstant_s) continue;
    inside_s.push_back(times_s[i]);
    heights_m.push_back(points_m[i].y);
  }
  const auto parabola = fitParabola(inside_s, heights_m);
  if (!parabola) return std::nullopt;
  return parabola->gravity_mps2;
}

}  // namespace clipmill::locomotion
