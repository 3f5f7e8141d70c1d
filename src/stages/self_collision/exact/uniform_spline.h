// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace clipmill::stages::self_collision {

/// A uniform cubic B-spline over the time from 0 to a duration (de Boor, A Practical Guide to
/// Splines): twice continuously differentiable, and a sum of control values with weights that are
/// not negative and sum to 1. The control values of a cycle repeat.
class UniformSpline {
 public:
  /// Knots are about `spacing_s` apart.
  UniformSpline(double duration_s, double spacing_s, bool is_cycle);

  std::size_t valueCount() const { return value_count_; }
  /// The control values that count at a time, and their weights. A short cycle may name one twice.
  std::array<std::pair<std::size_t, double>, 4> weightsAt(double time_s) const;

 private:
  double spacing_s_ = 1.0;
  std::size_t span_count_ = 1, value_count_ = 4;
  bool is_cycle_ = false;
};

}  // namespace clipmill::stages::self_collision
