// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/graduation.h"

#include <cstddef>
#include <utility>

#include "core/band_solver.h"

namespace clipmill::retarget {

std::vector<double> graduated(std::span<const double> values, std::span<const double> weights,
                              double stiffness, double tension) {
  const std::size_t n = values.size();
  BandMatrix matrix(n);
  std::vector<double> right(n);
  for (std::size_t i = 0; i < n; ++i) {
    matrix.addValue(i, weights[i]);
    right[i] = weights[i] * values[i];
  }
  for (std::size_t i = 0; i + 1 < n; ++i) matrix.addDifference(i, tension);
  for (std::size_t i = 0; i + 2 < n; ++i) matrix.addSecondDifference(i, stiffness);
  return solved(std::move(matrix), std::move(right));
}

}  // namespace clipmill::retarget
