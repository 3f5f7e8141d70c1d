// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/graduation.h"

#include <cstddef>

namespace clipmill::retarget {

std::vector<double> graduated(std::span<const double> values, std::span<const double> weights,
                              double stiffness, double tension) {
  // The normal equations have bands of width 2; factors L D L^T of them.
  const std::size_t n = values.size();
  std::vector<double> diagonal(weights.begin(), weights.end()), one(n, 0.0), two(n, 0.0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    diagonal[i] += tension, diagonal[i + 1] += tension, one[i] -= tension;
  }
  for (std::size_t i = 0; i + 2 < n; ++i) {
    diagonal[i] += stiffness, diagonal[i + 1] += 4.0 * stiffness, diagonal[i + 2] += stiffness;
    one[i] -= 2.0 * stiffness, one[i + 1] -= 2.0 * stiffness, two[i] += stiffness;
  }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = weights[i] * values[i];
  for (std::size_t i = 0; i < n; ++i) {
    const double a = one[i] / diagonal[i], b = two[i] / diagonal[i];
    if (i + 1 < n) {
      diagonal[i + 1] -= a * one[i];
      one[i + 1] -= a * two[i];
      x[i + 1] -= a * x[i];
    }
    if (i + 2 < n) {
      diagonal[i + 2] -= b * two[i];
      x[i + 2] -= b * x[i];
    }
    one[i] = a, two[i] = b;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] /= diagonal[i];
  for (std::size_t i = n; i-- > 0;) {
    if (i + 1 < n) x[i] -= one[i] * x[i + 1];
    if (i + 2 < n) x[i] -= two[i] * x[i + 2];
  }
  return x;
}

}  // namespace clipmill::retarget
