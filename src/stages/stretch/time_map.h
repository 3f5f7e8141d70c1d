// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"

namespace clipmill::stages::stretch {

/// A part of a clip that lasts `factor` times as long.
struct TimeScale {
  double start_s = 0.0;
  double end_s = 0.0;
  double factor = 1.0;  ///< Above 0.
};

/// Maps times of a clip to times of the result when the duration of parts changes; scales that
/// overlap multiply. The start of the clip stays.
class TimeMap {
 public:
  TimeMap(double start_s, double end_s, const std::vector<TimeScale>& scales);

  bool isIdentity() const { return is_identity_; }
  double outputEnd_s() const { return output_s_.back(); }
  double outputAt(double source_s) const;
  double sourceAt(double output_s) const;

 private:
  std::vector<double> source_s_, output_s_;  // knots, ascending; linear between them
  bool is_identity_ = true;
};

/// The motion at the times of `map`, on a grid of the same rate. Animated tracks are marked as
/// modified, and the source is dropped: its times are not those of the motion any more.
Motion retimed(const Scene& scene, const Motion& motion, const TimeMap& map);

}  // namespace clipmill::stages::stretch
