// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "anim/motion.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {

/// The times start, start + h, .., end of a simulation. Times within 1e-6 of a step of a grid time
/// count as on it: key times are stored as floats.
class StepGrid {
 public:
  StepGrid(const TimeGrid& frames, double step_s)
      : start_s_(frames.start_s), end_s_(frames.end_s), step_s_(step_s) {
    const double steps = (end_s_ - start_s_) / step_s_;
    step_count_ = toSize(std::max(1.0, std::ceil(steps - kOnGrid)));
    const double last_s = end_s_ - timeOf(step_count_ - 1);
    last_ratio_ = std::abs(last_s / step_s_ - 1.0) < 2.0 * kOnGrid ? 1.0 : last_s / step_s_;
  }

  std::size_t stepCount() const { return step_count_; }
  /// Length of the step that ends at grid time `index`, in whole steps.
  double ratioOf(std::size_t index) const { return index == step_count_ ? last_ratio_ : 1.0; }
  double timeOf(std::size_t index) const {
    return index >= step_count_ ? end_s_ : start_s_ + static_cast<double>(index) * step_s_;
  }

  /// The step in which a time falls, by the index of its start, and how far in it.
  std::pair<std::size_t, double> locate(double time_s) const {
    const double steps = std::max(0.0, (time_s - start_s_) / step_s_);
    const auto found = std::min(toSize(std::floor(steps + kOnGrid)), step_count_ - 1);
    const double fraction = (steps - static_cast<double>(found)) / ratioOf(found + 1);
    if (fraction < kOnGrid) return {found, 0.0};
    return {found, fraction > 1.0 - kOnGrid ? 1.0 : fraction};
  }

 private:
  static constexpr double kOnGrid = 1e-6;
  double start_s_, end_s_, step_s_;
  std::size_t step_count_ = 1;
  double last_ratio_ = 1.0;
};

}  // namespace clipmill::stages::dynamic_bones
