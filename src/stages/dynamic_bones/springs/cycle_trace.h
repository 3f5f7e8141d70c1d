// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/math.h"

namespace clipmill::stages::dynamic_bones {

/// The ends of all bones in a simulated cycle, frame by frame.
class CycleTrace {
 public:
  CycleTrace(const TimeGrid& grid, std::size_t bone_count);

  /// The ends in a frame, one a bone, metric world space. The caller fills them.
  std::span<Vec3> frame(std::size_t frame);
  /// Writes the ends at a time of the grid: cubics through the frames.
  void readAt(double time_s, std::span<Vec3> ends) const;

 private:
  const TimeGrid grid_;
  std::size_t bone_count_;
  std::vector<Vec3> ends_;
};

/// The share of the way to a trace that a step goes from one part of a cycle (0 to 1) to the next,
/// so that the distance falls along 1 - 3 s^2 + 2 s^3, and to 0 at the end.
double pullShare(double from, double to);

}  // namespace clipmill::stages::dynamic_bones
