// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/new_curve.h"

#include "checks.h"

TEST_SUITE_BEGIN("fbx.new_curve");

using namespace clipmill;
using namespace clipmill::io::fbx;

namespace {

NewCurve curveOf(Interpolation interpolation, std::vector<double> values,
                 std::vector<double> slopes = {}) {
  std::vector<double> times_s;
  for (std::size_t k = 0; k < values.size(); ++k) times_s.push_back(0.5 * static_cast<double>(k));
  return {interpolation, std::make_shared<const std::vector<double>>(std::move(times_s)),
          std::move(values), slopes, slopes};
}

NewCurve withoutIdleKeys(NewCurve curve) {
  dropIdleKeys(curve);
  return curve;
}

}  // namespace

TEST_CASE("A constant curve keeps only its first and last key") {
  const NewCurve linear = withoutIdleKeys(curveOf(Interpolation::kLinear, {7, 7, 7, 7}));
  CHECK(linear.values == std::vector<double>{7, 7});
  CHECK(*linear.times_s == std::vector<double>{0.0, 1.5});
  CHECK(withoutIdleKeys(curveOf(Interpolation::kStep, {7, 7, 7})).interpolation ==
        Interpolation::kStep);
  // As fitted: values and slopes are off by rounding.
  const NewCurve cubic = withoutIdleKeys(
      curveOf(Interpolation::kCubicSpline, {100, 100 + 1e-13, 100}, {3e-14, -4e-13, 1e-14}));
  CHECK(cubic.interpolation == Interpolation::kLinear);
  CHECK(cubic.values == std::vector<double>{100, 100});
  CHECK(cubic.left_slopes.empty());
  CHECK(cubic.right_slopes.empty());
}

TEST_CASE("A curve that changes keeps all keys") {
  CHECK(withoutIdleKeys(curveOf(Interpolation::kLinear, {7, 7, 7.001})).values.size() == 3);
  const NewCurve wave =
      withoutIdleKeys(curveOf(Interpolation::kCubicSpline, {7, 7, 7}, {0.1, -0.1, 0.1}));
  CHECK(wave.values.size() == 3);
  CHECK(wave.interpolation == Interpolation::kCubicSpline);
  CHECK(withoutIdleKeys(curveOf(Interpolation::kLinear, {7, 7})).values.size() == 2);
  CHECK(withoutIdleKeys(curveOf(Interpolation::kLinear, {7})).values.size() == 1);
}
