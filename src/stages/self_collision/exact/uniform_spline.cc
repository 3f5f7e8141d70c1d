// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/uniform_spline.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::stages::self_collision {

UniformSpline::UniformSpline(double duration_s, double spacing_s, bool is_cycle)
    : is_cycle_(is_cycle) {
  const double spans = std::max(1.0, std::round(duration_s / spacing_s));
  span_count_ = toSize(spans);
  spacing_s_ = duration_s > 0.0 ? duration_s / spans : 1.0;
  value_count_ = is_cycle ? span_count_ : span_count_ + 3;
}

std::array<std::pair<std::size_t, double>, 4> UniformSpline::weightsAt(double time_s) const {
  const double at = std::max(0.0, time_s / spacing_s_);
  const std::size_t first = std::min(toSize(at), span_count_ - 1);
  const double u = std::min(1.0, at - static_cast<double>(first)), v = 1.0 - u;
  const std::array<double, 4> weights = {v * v * v / 6.0, ((3.0 * u - 6.0) * u * u + 4.0) / 6.0,
                                         ((3.0 * v - 6.0) * v * v + 4.0) / 6.0, u * u * u / 6.0};
  std::array<std::pair<std::size_t, double>, 4> result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = {is_cycle_ ? (first + i) % value_count_ : first + i, weights[i]};
  }
  return result;
}

}  // namespace clipmill::stages::self_collision
