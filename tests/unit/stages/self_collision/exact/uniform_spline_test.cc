// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/uniform_spline.h"

#include <vector>

#include "checks.h"

TEST_SUITE_BEGIN("self_collision.uniform_spline");

using namespace clipmill::stages::self_collision;

namespace {

double valueAt(const UniformSpline& spline, const std::vector<double>& values, double time_s) {
  double value = 0.0;
  for (const auto& [index, weight] : spline.weightsAt(time_s)) value += weight * values[index];
  return value;
}

}  // namespace

TEST_CASE("a spline reproduces lines, and its weights are those of the uniform cubic one") {
  const UniformSpline spline(1.2, 0.15, false);
  REQUIRE(spline.valueCount() == 11);
  std::vector<double> line;
  // The control value k counts most at (k - 1) knots.
  for (std::size_t k = 0; k < spline.valueCount(); ++k) {
    line.push_back(2.0 + 3.0 * 0.15 * (static_cast<double>(k) - 1.0));
  }
  for (const double time_s : {0.0, 0.01, 0.15, 0.5, 0.9, 1.19, 1.2}) {
    CHECK(valueAt(spline, line, time_s) == doctest::Approx(2.0 + 3.0 * time_s));
  }
  const auto at_knot = spline.weightsAt(0.3);
  CHECK(at_knot[0].first == 2);
  CHECK(at_knot[0].second == doctest::Approx(1.0 / 6.0));
  CHECK(at_knot[1].second == doctest::Approx(4.0 / 6.0));
  CHECK(at_knot[2].second == doctest::Approx(1.0 / 6.0));
  const auto between = spline.weightsAt(0.375);
  CHECK(between[0].second == doctest::Approx(1.0 / 48.0));
  CHECK(between[1].second == doctest::Approx(23.0 / 48.0));
}

TEST_CASE("a cycle ends as it starts, with its slope") {
  const UniformSpline spline(0.9, 0.15, true);
  REQUIRE(spline.valueCount() == 6);
  const std::vector<double> values = {0.3, -1.0, 0.5, 2.0, 0.0, 0.7};
  CHECK(valueAt(spline, values, 0.0) == doctest::Approx(valueAt(spline, values, 0.9)));
  const double step_s = 1e-5;
  const double first = valueAt(spline, values, step_s) - valueAt(spline, values, 0.0),
               last = valueAt(spline, values, 0.9) - valueAt(spline, values, 0.9 - step_s);
  CHECK(first / step_s == doctest::Approx(last / step_s).epsilon(1e-3));
  double sum = 0.0;
  for (const auto& [index, weight] : spline.weightsAt(0.4)) sum += weight;
  CHECK(sum == doctest::Approx(1.0));
}
