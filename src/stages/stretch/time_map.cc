// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/time_map.h"

#include <algorithm>

#include "core/to_size.h"
#include "scene/resample.h"

namespace clipmill::stages::stretch {
namespace {

double mapped(const std::vector<double>& from, const std::vector<double>& to, double value) {
  if (value <= from.front()) return to.front();
  if (value >= from.back()) return to.back();
  const auto after = std::upper_bound(from.begin(), from.end(), value);
  const std::size_t i = toSize(after - from.begin()) - 1;
  const double fraction = (value - from[i]) / (from[i + 1] - from[i]);
  return to[i] + (to[i + 1] - to[i]) * fraction;
}

}  // namespace

TimeMap::TimeMap(double start_s, double end_s, const std::vector<TimeScale>& scales) {
  source_s_ = {start_s, end_s};
  for (const TimeScale& scale : scales) {
    source_s_.push_back(std::clamp(scale.start_s, start_s, end_s));
    source_s_.push_back(std::clamp(scale.end_s, start_s, end_s));
    is_identity_ = is_identity_ && scale.factor == 1.0;
  }
  std::sort(source_s_.begin(), source_s_.end());
  source_s_.erase(std::unique(source_s_.begin(), source_s_.end()), source_s_.end());
  output_s_ = {start_s};
  for (std::size_t i = 1; i < source_s_.size(); ++i) {
    const double middle_s = 0.5 * (source_s_[i - 1] + source_s_[i]);
    double factor = 1.0;
    for (const TimeScale& scale : scales) {
      if (middle_s > scale.start_s && middle_s < scale.end_s) factor *= scale.factor;
    }
    output_s_.push_back(output_s_.back() + (source_s_[i] - source_s_[i - 1]) * factor);
  }
  if (is_identity_) output_s_ = source_s_;
}

double TimeMap::outputAt(double source_s) const { return mapped(source_s_, output_s_, source_s); }

double TimeMap::sourceAt(double output_s) const { return mapped(output_s_, source_s_, output_s); }

Motion retimed(const Scene& scene, const Motion& motion, const TimeMap& map) {
  const TimeGrid grid = makeGrid(motion.grid.start_s, map.outputEnd_s(), motion.grid.fps);
  std::vector<double> source_s = timesOf(grid);
  for (double& time_s : source_s) time_s = map.sourceAt(time_s);
  return resampled(scene, motion, grid, source_s);
}

}  // namespace clipmill::stages::stretch
