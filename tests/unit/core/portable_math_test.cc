// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/portable_math.h"

#include <cmath>
#include <limits>
#include <random>

#include "checks.h"
#include "platform.h"

TEST_SUITE_BEGIN("core.portable_math");

namespace {

// A type with at least 11 bits more than double, in which the C library's functions are right to
// about one ulp of that type; where there is none, tests of bounds are skipped.
using Precise = long double;
// The C library of Windows takes the processor's sine, which is off for large arguments. That of
// WebAssembly computes such functions in double.
constexpr bool kHasPrecise = std::numeric_limits<Precise>::digits >= 64 &&
                             !clipmill::test::kIsWindows && !clipmill::test::kIsWebAssembly;

// Distance in ulp of the double nearest to the expected value.
double ulps(double actual, Precise expected) {
  const double nearest = static_cast<double>(expected);
  if (std::isinf(nearest) || std::isinf(actual)) return actual == nearest ? 0.0 : INFINITY;
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  const double size = std::abs(nearest);
  const double step =
      size < std::numeric_limits<double>::min() ? kLeast : std::ldexp(1.0, std::ilogb(size) - 52);
  return static_cast<double>(std::abs(actual - expected) / step);
}

std::mt19937_64 randomNumbers;

double between(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(randomNumbers);
}

// Of either sign, of all magnitudes alike between the powers of two.
double ofMagnitude(double lowest, double highest) {
  const double value = std::exp2(between(lowest, highest));
  return randomNumbers() % 2 == 0 ? value : -value;
}

struct Worst {
  double ulps = 0.0, at = 0.0;
};

// The largest error among many arguments.
template <class Argument, class Function, class Reference>
Worst worstOf(Argument argument, Function function, Reference reference) {
  Worst worst;
  for (int i = 0; i < 100000; ++i) {
    const double x = argument();
    const double error = ulps(function(x), reference(static_cast<Precise>(x)));
    if (error > worst.ulps) worst = {error, x};
  }
  return worst;
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

TEST_CASE("errors are below the bounds that the header states, for arguments of all magnitudes") {
  if (!kHasPrecise) return;
  namespace p = clipmill::portable;
  randomNumbers.seed(1);
  const auto check = [](double bound, auto argument, auto function, auto reference) {
    const Worst worst = worstOf(argument, function, reference);
    CAPTURE(worst.at);
    CHECK(worst.ulps < bound);
  };
  const auto moderate = [] { return between(-1e6, 1e6); };
  const auto small = [] { return ofMagnitude(-60, 3); };
  const auto wide = [] { return ofMagnitude(-60, 60); };
  const auto unit = [] { return between(-1, 1); };
  const auto near_0 = [] { return ofMagnitude(-60, 0); };
  const auto near_1 = [] { return 1.0 - std::abs(ofMagnitude(-52, 0)); };
  const auto arc = [](double x) { return p::acos(x); };
  check(
      3.0, moderate, [](double x) { return p::sin(x); }, [](Precise x) { return std::sin(x); });
  check(
      3.0, small, [](double x) { return p::sin(x); }, [](Precise x) { return std::sin(x); });
  check(
      3.0, moderate, [](double x) { return p::cos(x); }, [](Precise x) { return std::cos(x); });
  check(
      3.0, small, [](double x) { return p::cos(x); }, [](Precise x) { return std::cos(x); });
  check(
      5.0, moderate, [](double x) { return p::tan(x); }, [](Precise x) { return std::tan(x); });
  check(
      5.0, small, [](double x) { return p::tan(x); }, [](Precise x) { return std::tan(x); });
  check(
      4.0, wide, [](double x) { return p::atan(x); }, [](Precise x) { return std::atan(x); });
  check(
      4.0, small, [](double x) { return p::atan(x); }, [](Precise x) { return std::atan(x); });
  check(
      5.0, unit, [](double x) { return p::asin(x); }, [](Precise x) { return std::asin(x); });
  check(
      5.0, near_0, [](double x) { return p::asin(x); }, [](Precise x) { return std::asin(x); });
  check(5.0, unit, arc, [](Precise x) { return std::acos(x); });
  check(5.0, near_1, arc, [](Precise x) { return std::acos(x); });
  check(
      1.5, [] { return between(-745, 709.7); }, [](double x) { return p::exp(x); },
      [](Precise x) { return std::exp(x); });
  check(
      1.5, near_0, [](double x) { return p::exp(x); }, [](Precise x) { return std::exp(x); });
  check(
      2.5, [] { return std::abs(ofMagnitude(-1073, 1023)); }, [](double x) { return p::log(x); },
      [](Precise x) { return std::log(x); });
  check(
      2.5, [] { return 1.0 + ofMagnitude(-52, -1); }, [](double x) { return p::log(x); },
      [](Precise x) { return std::log(x); });
  const auto hyperbolic = [] { return ofMagnitude(-60, 9.4); };
  check(
      3.0, hyperbolic, [](double x) { return p::sinh(x); }, [](Precise x) { return std::sinh(x); });
  check(
      3.0, [] { return between(0.4, 2); }, [](double x) { return p::sinh(x); },
      [](Precise x) { return std::sinh(x); });
  check(
      2.5, hyperbolic, [](double x) { return p::cosh(x); }, [](Precise x) { return std::cosh(x); });
}

TEST_CASE("sine and cosine keep their bound at the doubles nearest to multiples of pi / 2") {
  if (!kHasPrecise) return;
  namespace p = clipmill::portable;
  constexpr Precise kHalfPi = 1.57079632679489661923132169163975144L;
  double worst = 0.0;
  for (int k = 1; k < 636619; k += 7) {
    const double x = static_cast<double>(k * kHalfPi);
    const auto exact = static_cast<Precise>(x);
    worst = std::max(
        worst, k % 2 == 0 ? ulps(p::sin(x), std::sin(exact)) : ulps(p::cos(x), std::cos(exact)));
  }
  CHECK(worst < 3.0);
}

TEST_CASE("the angle of a point is right to 5 ulp, and powers to 1.5") {
  if (!kHasPrecise) return;
  namespace p = clipmill::portable;
  randomNumbers.seed(2);
  double worst_angle = 0.0, worst_power = 0.0, worst_plain_power = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double y = ofMagnitude(-30, 30), x = ofMagnitude(-30, 30);
    worst_angle = std::max(worst_angle, ulps(p::atan2(y, x), std::atan2(Precise(y), Precise(x))));
    // Results of all magnitudes, those next to the largest and the least ones included.
    const double base = std::abs(ofMagnitude(-1000, 1000));
    const double power = between(-745, 710) / std::log(base);
    worst_power =
        std::max(worst_power, ulps(p::pow(base, power), std::pow(Precise(base), Precise(power))));
    const double near_one = 1.0 + ofMagnitude(-50, -2), large = between(-700, 700);
    const double exponent = large / std::log(near_one);
    worst_power = std::max(worst_power, ulps(p::pow(near_one, exponent),
                                             std::pow(Precise(near_one), Precise(exponent))));
    const double share = between(0, 1);
    for (double plain : {2.4, 1 / 2.4, 1.0 / 3.0, 60.0 / 240.0, 2.0}) {
      worst_plain_power = std::max(
          worst_plain_power, ulps(p::pow(share, plain), std::pow(Precise(share), Precise(plain))));
    }
  }
  CHECK(worst_angle < 5.0);
  CHECK(worst_power < 1.5);
  CHECK(worst_plain_power < 1.5);
}

TEST_CASE("powers at the ends of their range are exact, infinite, 0 or no number") {
  namespace p = clipmill::portable;
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  CHECK(p::pow(2.0, 1023.0) == std::ldexp(1.0, 1023));
  CHECK(p::pow(2.0, -1074.0) == kLeast);
  CHECK(p::pow(2.0, 1024.0) == INFINITY);
  CHECK(p::pow(2.0, -1100.0) == 0.0);
  CHECK(p::pow(kMost, 1.0) == kMost);
  CHECK(p::pow(kLeast, 1.0) == kLeast);
  CHECK(p::pow(9.0, 0.5) == 3.0);
  CHECK(p::pow(7.0, 1.0) == 7.0);
  CHECK(p::pow(0.5, 1e300) == 0.0);
  CHECK(p::pow(0.5, -1e300) == INFINITY);
  CHECK(p::pow(0.5, INFINITY) == 0.0);
  CHECK(p::pow(INFINITY, -2.0) == 0.0);
  CHECK(p::pow(0.0, -1.0) == INFINITY);
  CHECK(p::pow(1.0, NAN) == 1.0);
  CHECK(std::isnan(p::pow(2.0, NAN)));
  CHECK(std::isnan(p::pow(-2.0, 2.0)));
}

TEST_CASE("exact and special arguments have their exact results") {
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
