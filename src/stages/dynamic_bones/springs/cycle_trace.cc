// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/cycle_trace.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "stages/dynamic_bones/springs/frame_cubic.h"

namespace clipmill::stages::dynamic_bones {

CycleTrace::CycleTrace(const TimeGrid& grid, std::size_t bone_count)
    : grid_(grid), bone_count_(bone_count), ends_(grid.frame_count * bone_count) {}

std::span<Vec3> CycleTrace::frame(std::size_t frame) {
  return std::span(ends_).subspan(frame * bone_count_, bone_count_);
}

void CycleTrace::readAt(double time_s, std::span<Vec3> ends) const {
  const std::size_t last = grid_.frame_count - 1;
  const double frames = std::max(0.0, (time_s - grid_.start_s) * grid_.fps);
  const std::size_t at = std::min(toSize(std::floor(frames)), last > 0 ? last - 1 : 0);
  const std::size_t next = std::min(at + 1, last);
  const double span_s = grid_.timeOf(next) - grid_.timeOf(at);
  const double fraction =
      span_s > 0.0 ? std::clamp((time_s - grid_.timeOf(at)) / span_s, 0.0, 1.0) : 0.0;
  const auto end = [&](std::size_t frame, std::size_t bone) -> const Vec3& {
    return ends_[frame * bone_count_ + bone];
  };
  for (std::size_t b = 0; b < bone_count_; ++b) {
    const Vec3 &start = end(at, b), &stop = end(next, b);
    const Vec3 before = at > 0 ? end(at - 1, b) : start * 2.0 - stop;
    const Vec3 after = next < last ? end(next + 1, b) : stop * 2.0 - start;
    ends[b] = frameCubic(before, start, stop, after, fraction);
  }
}

double pullShare(double from, double to) {
  const auto left = [](double s) { return 1.0 - s * s * (3.0 - 2.0 * s); };
  const double before = left(from);
  return before > 0.0 ? 1.0 - left(std::min(to, 1.0)) / before : 1.0;
}

}  // namespace clipmill::stages::dynamic_bones
