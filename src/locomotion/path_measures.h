// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/math.h"
#include "scene/partial_pose.h"

namespace clipmill::locomotion {

/// Measures of a path along the ground.
struct PathMeasures {
  double length_m = 0.0;
  double net_m = 0.0;          ///< From its start to its end.
  double max_speed_mps = 0.0;  ///< Between two points.
};

PathMeasures measurePath(std::span<const double> times_s, std::span<const Vec3> points_m);

/// Speed along the ground from the point before to each point; the first repeats the second.
std::vector<double> speedsOf(std::span<const double> times_s, std::span<const Vec3> points_m);

/// Changes of the steps of a path along the ground.
struct StepChanges {
  double amplification = 1.0;   ///< Largest ratio of a step to what it was, among those that are at
                                ///< least a twentieth of the longest.
  double still_motion_m = 0.0;  ///< Longest step that was shorter than `still_m` before.
};

StepChanges compareSteps(std::span<const Vec3> before_m, std::span<const Vec3> after_m,
                         double still_m);

/// The downward acceleration of the heights between two times, by the parabola nearest to them;
/// nothing where there are fewer than 3 points.
std::optional<double> gravityOf(std::span<const double> times_s, std::span<const Vec3> points_m,
                                double start_s, double end_s);

}  // namespace clipmill::locomotion
