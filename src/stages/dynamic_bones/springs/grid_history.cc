// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/grid_history.h"

#include <algorithm>

namespace clipmill::stages::dynamic_bones {

GridHistory::GridHistory(std::size_t bone_count, std::size_t joint_count) {
  for (GridSample& sample : samples_) {
    sample.positions.resize(bone_count);
    sample.swings.assign(joint_count, kIdentityRotation);
    sample.stretches.assign(bone_count, 1.0);
  }
}

GridSample& GridHistory::append(double time_s) {
  GridSample& sample = samples_[count_++ % kKept];
  sample.time_s = time_s;
  return sample;
}

Vec3 GridHistory::slope(std::size_t bone, std::size_t index) const {
  // The parabola through three neighbouring states, at the one of them that is asked for.
  const std::size_t oldest = count_ > kKept ? count_ - kKept : 0;
  const std::size_t last = count_ - 1;
  if (last == oldest) return Vec3(0.0);
  const bool line_only = last - oldest < 2;
  const std::size_t middle = line_only ? oldest : std::clamp(index, oldest + 1, last - 1);
  const GridSample& a = at(line_only ? oldest : middle - 1);
  const GridSample& b = at(line_only ? last : middle);
  const Vec3 first = (b.positions[bone] - a.positions[bone]) / (b.time_s - a.time_s);
  if (line_only) return first;
  const GridSample& c = at(middle + 1);
  const Vec3 second = (c.positions[bone] - b.positions[bone]) / (c.time_s - b.time_s);
  const Vec3 bend = (second - first) / (c.time_s - a.time_s);
  return first + bend * (2.0 * at(index).time_s - a.time_s - b.time_s);
}

Vec3 GridHistory::position(std::size_t bone, std::size_t index, double fraction) const {
  if (fraction <= 0.0) return at(index).positions[bone];
  if (fraction >= 1.0) return at(index + 1).positions[bone];
  const double span_s = at(index + 1).time_s - at(index).time_s;
  const double f = fraction, f2 = f * f, f3 = f2 * f;
  return at(index).positions[bone] * (2.0 * f3 - 3.0 * f2 + 1.0) +
         slope(bone, index) * (span_s * (f3 - 2.0 * f2 + f)) +
         at(index + 1).positions[bone] * (3.0 * f2 - 2.0 * f3) +
         slope(bone, index + 1) * (span_s * (f3 - f2));
}

}  // namespace clipmill::stages::dynamic_bones
