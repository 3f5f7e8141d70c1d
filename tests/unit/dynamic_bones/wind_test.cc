// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/wind.h"

#include <cmath>

#include "checks.h"

using namespace clipmill;
using namespace clipmill::bones;
using clipmill::test::distance;

TEST_SUITE_BEGIN("dynamic_bones.wind");

TEST_CASE("the noise is bounded, smooth, without mean, and not constant") {
  double sum = 0.0, square = 0.0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double x = 0.01 * i - 300.0;
    const double y = gradientNoise(7, x);
    CHECK(std::abs(y) <= 1.0);
    CHECK(std::abs(gradientNoise(7, x + 1e-4) - y) < 1e-3);
    sum += y;
    square += y * y;
  }
  CHECK(std::abs(sum / count) < 0.02);
  CHECK(square / count > 0.02);
}

TEST_CASE("the noise is zero at whole numbers and differs by seed") {
  CHECK(gradientNoise(3, -4.0) == 0.0);
  CHECK(gradientNoise(3, 0.4) != gradientNoise(4, 0.4));
  CHECK(gradientNoise(3, 1e300) == 0.0);
  CHECK(gradientNoise(3, std::nan("")) == 0.0);
}

TEST_CASE("wind without noise is its mean, at any place and time") {
  Wind wind;
  wind.mean_mps2 = Vec3(1, 2, 3);
  CHECK(wind.at(Vec3(4, 5, 6), 7.0) == Vec3(1, 2, 3));
  wind.mean_mps2 = Vec3(0);
  wind.noise = 1.0;
  CHECK(wind.at(Vec3(4, 5, 6), 7.0) == Vec3(0));
}

TEST_CASE("gusts drift with the wind, one gust length in one period") {
  Wind wind;
  wind.mean_mps2 = Vec3(0, 0, 5);
  wind.noise = 1.0;
  wind.period_s = 0.5;
  wind.gust_m = 3.0;
  const Vec3 here = wind.at(Vec3(9, 9, 1.0), 0.2);
  CHECK(distance(wind.at(Vec3(0, 0, 1.0 + 3.0), 0.2 + 0.5), here) < 1e-12);
  CHECK(distance(wind.at(Vec3(0, 0, 1.0 + 0.6), 0.2 + 0.1), here) < 1e-12);
  CHECK(distance(wind.at(Vec3(0, 0, 1.0), 0.3), here) > 1e-3);
}

TEST_SUITE_END();
