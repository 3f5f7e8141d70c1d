// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace clipmill {

/// A symmetric positive definite matrix with two bands beside its diagonal, of n rows.
struct BandMatrix {
  explicit BandMatrix(std::size_t n) : diagonal(n, 0.0), one(n, 0.0), two(n, 0.0) {}

  /// Adds weight * (c - x[i])^2 for a constant c that the right side knows.
  void addValue(std::size_t i, double weight) { diagonal[i] += weight; }
  /// Adds weight * (x[i + 1] - x[i])^2.
  void addDifference(std::size_t i, double weight);
  /// Adds weight * (x[i] - 2 x[i + 1] + x[i + 2])^2.
  void addSecondDifference(std::size_t i, double weight);

  std::vector<double> diagonal;
  std::vector<double> one, two;  ///< Row i: the elements in columns i + 1 and i + 2.
};

/// The x of matrix x = right, by factors L D L^T. As many values as rows.
std::vector<double> solved(BandMatrix matrix, std::vector<double> right);

}  // namespace clipmill
