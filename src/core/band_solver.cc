// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/band_solver.h"

#include <cstddef>

namespace clipmill {

void BandMatrix::addDifference(std::size_t i, double weight) {
  diagonal[i] += weight, diagonal[i + 1] += weight, one[i] -= weight;
}

void BandMatrix::addSecondDifference(std::size_t i, double weight) {
  diagonal[i] += weight, diagonal[i + 1] += 4.0 * weight, diagonal[i + 2] += weight;
  one[i] -= 2.0 * weight, one[i + 1] -= 2.0 * weight, two[i] += weight;
}

std::vector<double> solved(BandMatrix matrix, std::vector<double> right) {
  std::vector<double>&diagonal = matrix.diagonal, &one = matrix.one, &two = matrix.two;
  std::vector<double>& x = right;
  const std::size_t n = diagonal.size();
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
  return right;
}

}  // namespace clipmill
