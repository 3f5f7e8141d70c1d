// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/portable_math.h"

#include <cmath>
#include <limits>
#include <random>

#include "checks.h"

TEST_SUITE_BEGIN("core.portable_math");

namespace {

// Distance in units of the last place of the expected value.
double ulps(double actual, double expected) {
  if (actual == expected) return 0.0;
  const double step = std::abs(std::nextafter(expected, INFINITY) - expected);
  return std::abs(actual - expected) / step;
}

}  // namespace

TEST_CASE("sine and cosine at once are those of each alone, to the bit") {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> wide(-1000.0, 1000.0), small(-2.0, 2.0);
  for (int i = 0; i < 20000; ++i) {
    const double x = i % 2 == 0 ? wide(random) : small(random);
    const auto [sine, cosine] = clipmill::portable::sinCos(x);
    CHECK(sine == clipmill::portable::sin(x));
    CHECK(cosine == clipmill::portable::cos(x));
  }
  CHECK(std::isnan(clipmill::portable::sinCos(HUGE_VAL).sine));
  CHECK(std::isnan(clipmill::portable::sinCos(HUGE_VAL).cosine));
}

TEST_CASE("elementary functions agree with the C library to a few last bits") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> wide(-1000.0, 1000.0), unit(-1.0, 1.0);
  double worst_trig = 0, worst_atan = 0, worst_exp = 0, worst_log = 0, worst_acos = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = wide(random), u = unit(random);
    worst_trig = std::max(worst_trig, std::abs(clipmill::portable::sin(x) - std::sin(x)));
    worst_trig = std::max(worst_trig, std::abs(clipmill::portable::cos(x) - std::cos(x)));
    worst_atan = std::max(worst_atan, ulps(clipmill::portable::atan2(x, u), std::atan2(x, u)));
    worst_atan =
        std::max(worst_atan, ulps(clipmill::portable::atan2(u, u * x), std::atan2(u, u * x)));
    worst_exp = std::max(worst_exp, ulps(clipmill::portable::exp(x * 0.7), std::exp(x * 0.7)));
    worst_log =
        std::max(worst_log, ulps(clipmill::portable::log(std::abs(x)), std::log(std::abs(x))));
    worst_acos = std::max(worst_acos, std::abs(clipmill::portable::acos(u) - std::acos(u)));
  }
  CHECK(worst_trig < 3e-16);
  CHECK(worst_atan <= 4.0);
  CHECK(worst_exp <= 4.0);
  CHECK(worst_log <= 4.0);
  CHECK(worst_acos < 1e-15);
}

TEST_CASE("exact and special arguments have their exact answers") {
  namespace p = clipmill::portable;
  CHECK(p::sin(0.0) == 0.0);
  CHECK(p::cos(0.0) == 1.0);
  CHECK(p::exp(0.0) == 1.0);
  CHECK(p::log(1.0) == 0.0);
  CHECK(p::pow(0.0, 2.0) == 0.0);
  CHECK(p::pow(5.0, 0.0) == 1.0);
  CHECK(p::atan2(0.0, 0.0) == 0.0);
  CHECK(p::atan2(1.0, 0.0) == std::atan2(1.0, 0.0));
  CHECK(p::atan2(0.0, -1.0) == std::atan2(0.0, -1.0));
  CHECK(p::acos(2.0) == 0.0);
  CHECK(std::isnan(p::sin(std::numeric_limits<double>::infinity())));
  CHECK(std::isnan(p::log(-1.0)));
  CHECK(std::isinf(p::exp(1000.0)));
  CHECK(p::exp(-1000.0) == 0.0);
  CHECK(std::abs(p::sinh(1e-9) - 1e-9) < 1e-24);
  CHECK(std::abs(p::cosh(1.0) - std::cosh(1.0)) < 1e-15);
}

TEST_SUITE_END();
