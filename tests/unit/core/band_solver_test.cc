// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/band_solver.h"

#include "checks.h"

TEST_SUITE_BEGIN("core.band_solver");

using namespace clipmill;

TEST_CASE("a band matrix times its solution is the right side") {
  constexpr std::size_t kCount = 9;
  BandMatrix matrix(kCount);
  std::vector<double> right;
  for (std::size_t i = 0; i < kCount; ++i) {
    matrix.addValue(i, 0.5 + 0.1 * static_cast<double>(i));
    right.push_back(static_cast<double>(i * i % 5) - 1.5);
    if (i + 1 < kCount) matrix.addDifference(i, 2.0);
    if (i + 2 < kCount) matrix.addSecondDifference(i, 0.7);
  }
  const std::vector<double> x = solved(matrix, right);
  for (std::size_t i = 0; i < kCount; ++i) {
    double sum = matrix.diagonal[i] * x[i];
    if (i + 1 < kCount) sum += matrix.one[i] * x[i + 1];
    if (i + 2 < kCount) sum += matrix.two[i] * x[i + 2];
    if (i >= 1) sum += matrix.one[i - 1] * x[i - 1];
    if (i >= 2) sum += matrix.two[i - 2] * x[i - 2];
    CHECK(sum == doctest::Approx(right[i]).epsilon(1e-12));
  }
}

TEST_CASE("second differences of a straight line cost nothing") {
  BandMatrix matrix(5);
  for (std::size_t i = 0; i + 2 < 5; ++i) matrix.addSecondDifference(i, 3.0);
  std::vector<double> right(5, 0.0);
  for (const std::size_t i : {std::size_t{0}, std::size_t{4}}) {
    matrix.addValue(i, 1.0);
    right[i] = static_cast<double>(i);
  }
  const std::vector<double> x = solved(matrix, right);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(x[i] == doctest::Approx(static_cast<double>(i)).epsilon(1e-9));
  }
}

TEST_SUITE_END();
