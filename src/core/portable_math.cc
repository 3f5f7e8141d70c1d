// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Range reduction in two parts (Cody and Waite, Software Manual for the Elementary Functions,
// 1980), then Taylor series, whose coefficients are exact rationals, cut where the next term is
// below half an ulp of the result.
#include "core/portable_math.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace clipmill::portable {
namespace {

constexpr double kPiOver2 = 1.57079632679489661923;
// pi/2 as a sum of three parts; the first two have 33 significant bits, so k * part is exact for
// |k| < 2^20.
constexpr double kPiOver2High = 1.57079632673412561417e+00;
constexpr double kPiOver2Middle = 6.07710050630396597660e-11;
constexpr double kPiOver2Low = 2.02226624879595063154e-21;
constexpr double kLn2High = 6.93147180369123816490e-01;  // 33 significant bits
constexpr double kLn2Low = 1.90821492927058770002e-10;

// The sum of c[i] s^i by Horner's rule.
template <std::size_t kCount>
double polynomial(const double (&c)[kCount], double s) {
  double sum = c[kCount - 1];
  for (std::size_t i = kCount - 1; i-- > 0;) sum = sum * s + c[i];
  return sum;
}

// Taylor sums for |x| <= pi/4. The factorials are below 2^53 up to 18!, so every coefficient is the
// double nearest to its rational.
double sineSeries(double x) {
  static constexpr double kC[] = {
      -1.0 / 6,        1.0 / 120,        -1.0 / 5040,         1.0 / 362880,
      -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368e3, 1.0 / 355687428096e3};
  const double s = x * x;
  return x + x * (s * polynomial(kC, s));
}

double cosineSeries(double x) {
  static constexpr double kC[] = {
      1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
      1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888e3, -1.0 / 6402373705728e3};
  const double s = x * x;
  return (1.0 - 0.5 * s) + s * s * polynomial(kC, s);
}

struct Reduced {
  double rest;   // in [-pi/4, pi/4]
  int quadrant;  // 0..3
};

Reduced reduceAngle(double x) {
  const double k = std::floor(x / kPiOver2 + 0.5);
  const double rest = ((x - k * kPiOver2High) - k * kPiOver2Middle) - k * kPiOver2Low;
  return {rest, static_cast<int>(k - 4.0 * std::floor(k / 4.0))};
}

// atan for 0 <= x <= tan(pi/8), by one halving of the angle and the alternating series.
double atanSeries(double x) {
  // atan x = 2 atan(x / (1 + sqrt(1 + x^2)))
  const double half = x / (1.0 + std::sqrt(1.0 + x * x));
  const double s = half * half;
  double sum = 0.0;
  for (int n = 25; n >= 3; n -= 2) sum = (sum + 1.0 / n) * -s;
  return 2.0 * (half + half * sum);
}

// A number as the unevaluated sum of two: about 106 significant bits. The sums and products are
// those of Dekker (A floating-point technique for extending the available precision, Numerische
// Mathematik 18, 1971) and Knuth (The Art of Computer Programming, volume 2, section 4.2.2).
struct TwoPart {
  double high = 0.0, low = 0.0;
};

TwoPart sum(double a, double b) {
  const double high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

TwoPart sum(const TwoPart& a, const TwoPart& b) {
  const TwoPart high = sum(a.high, b.high);
  return sum(high.high, high.low + (a.low + b.low));
}

// The upper 26 bits of a number and the others. |a| <= 2^996.
TwoPart halves(double a) {
  const double scaled = 134217729.0 * a;  // 2^27 + 1
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

TwoPart product(double a, double b) {
  const TwoPart x = halves(a), y = halves(b);
  const double high = a * b;
  return {high, ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

TwoPart product(const TwoPart& a, const TwoPart& b) {
  const TwoPart high = product(a.high, b.high);
  return sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

TwoPart quotient(const TwoPart& a, const TwoPart& b) {
  const double high = a.high / b.high;
  const TwoPart back = product(high, b.high);
  return sum(high, (((a.high - back.high) - back.low) + a.low - high * b.low) / b.high);
}

// log x for finite x > 0, with a relative error below 2^-66. The same series as in log(): its first
// terms in two parts, the others, which are below 2^-22 of the sum, in one.
TwoPart preciseLog(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752440) {
    mantissa *= 2.0;
    --exponent;
  }
  const TwoPart z = quotient({mantissa - 1.0, 0.0}, sum(mantissa, 1.0));
  const TwoPart s = product(z, z);
  double tail = 0.0;
  for (int n = 29; n >= 11; n -= 2) tail = (tail + 1.0 / n) * s.high;
  TwoPart series = product(sum(quotient({1.0, 0.0}, {9.0, 0.0}), {tail, 0.0}), s);
  for (int n = 7; n >= 3; n -= 2) {
    series = product(sum(quotient({1.0, 0.0}, {static_cast<double>(n), 0.0}), series), s);
  }
  const TwoPart of_mantissa = sum(z, product(z, series));
  const TwoPart of_exponent = sum({exponent * kLn2High, 0.0}, product(exponent, kLn2Low));
  return sum(of_exponent, {2.0 * of_mantissa.high, 2.0 * of_mantissa.low});
}

// exp of the sum of both parts, |x| <= 760.
double preciseExp(const TwoPart& x) {
  const double k = std::floor(x.high / (kLn2High + kLn2Low) + 0.5);
  const TwoPart low = product(k, kLn2Low);
  const TwoPart rest = sum(sum({x.high - k * kLn2High, 0.0}, {-low.high, -low.low}), {x.low, 0.0});
  double series = 0.0;
  for (int n = 14; n >= 2; --n) series = (series + 1.0) * rest.high / n;
  // 1 + rest (1 + series), the product rounded once.
  const TwoPart first = sum(1.0, rest.high);
  const double value = first.high + (first.low + rest.high * series + rest.low * first.high);
  return std::ldexp(value, static_cast<int>(k));
}

}  // namespace

double sin(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const Reduced r = reduceAngle(x);
  const double value = r.quadrant % 2 == 0 ? sineSeries(r.rest) : cosineSeries(r.rest);
  return r.quadrant < 2 ? value : -value;
}

double cos(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const Reduced r = reduceAngle(x);
  const double value = r.quadrant % 2 == 0 ? cosineSeries(r.rest) : sineSeries(r.rest);
  return r.quadrant == 0 || r.quadrant == 3 ? value : -value;
}

SineCosine sinCos(double x) {
  if (!std::isfinite(x)) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    return {kNaN, kNaN};
  }
  const Reduced r = reduceAngle(x);
  double sine = sineSeries(r.rest), cosine = cosineSeries(r.rest);
  if (r.quadrant % 2 != 0) std::swap(sine, cosine);
  return {r.quadrant < 2 ? sine : -sine, r.quadrant == 0 || r.quadrant == 3 ? cosine : -cosine};
}

double tan(double x) { return sin(x) / cos(x); }

double atan(double x) {
  if (std::isnan(x)) return x;
  const double a = std::abs(x);
  constexpr double kTanPiOver8 = 0.41421356237309504880;
  double value;
  if (a <= kTanPiOver8) {
    value = atanSeries(a);
  } else if (a <= 1.0 / kTanPiOver8) {
    value = kPiOver2 / 2.0 +
            (a < 1.0 ? -atanSeries((1.0 - a) / (1.0 + a)) : atanSeries((a - 1.0) / (a + 1.0)));
  } else {
    value = kPiOver2 - atanSeries(1.0 / a);
  }
  return std::copysign(value, x);
}

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  if (y == 0.0) return std::signbit(x) && x != 0.0 ? std::copysign(2.0 * kPiOver2, y) : 0.0;
  if (x == 0.0) return std::copysign(kPiOver2, y);
  if (std::isinf(x) && std::isinf(y)) {
    return std::copysign(x > 0.0 ? 0.5 * kPiOver2 : 1.5 * kPiOver2, y);
  }
  const double angle = atan(std::abs(y) / std::abs(x));
  return std::copysign(x > 0.0 ? angle : 2.0 * kPiOver2 - angle, y);
}

double asin(double x) {
  x = std::clamp(x, -1.0, 1.0);
  return atan2(x, std::sqrt((1.0 - x) * (1.0 + x)));
}

double acos(double x) {
  x = std::clamp(x, -1.0, 1.0);
  return atan2(std::sqrt((1.0 - x) * (1.0 + x)), x);
}

double exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.8) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0.0;
  const double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double rest = (x - k * kLn2High) - k * kLn2Low;
  double sum = 0.0;
  for (int n = 14; n >= 1; --n) sum = (sum + 1.0) * rest / n;
  return std::ldexp(1.0 + sum, static_cast<int>(k));
}

double log(double x) {
  if (std::isnan(x) || x < 0.0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0.0) return -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return x;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [0.5, 1)
  if (mantissa < 0.70710678118654752440) {
    mantissa *= 2.0;
    --exponent;
  }
  // log m = 2 atanh((m - 1) / (m + 1)), |argument| <= 0.172
  const double z = (mantissa - 1.0) / (mantissa + 1.0);
  const double s = z * z;
  double sum = 0.0;
  for (int n = 23; n >= 3; n -= 2) sum = (sum + 1.0 / n) * s;
  return exponent * kLn2High + (2.0 * (z + z * sum) + exponent * kLn2Low);
}

double pow(double base, double exponent) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (exponent == 0.0 || base == 1.0) return 1.0;
  if (std::isnan(base) || std::isnan(exponent) || base < 0.0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (base == 0.0) return exponent > 0.0 ? 0.0 : kInfinity;
  if (std::isinf(base)) return exponent > 0.0 ? kInfinity : 0.0;
  const TwoPart logarithm = preciseLog(base);
  const double estimate = exponent * logarithm.high;
  // Beyond what the second part could change, and before its products overflow.
  if (estimate > 720.0) return kInfinity;
  if (estimate < -760.0) return 0.0;
  TwoPart power = product(exponent, logarithm.high);
  power.low += exponent * logarithm.low;
  return preciseExp(power);
}

double sinh(double x) {
  if (std::abs(x) < 0.5) {
    const double s = x * x;
    double sum = 0.0;
    for (int n = 17; n >= 3; n -= 2) sum = (sum + 1.0) * s / (n * (n - 1.0));
    return x + x * sum;
  }
  const double e = exp(x);
  return 0.5 * (e - 1.0 / e);
}

double cosh(double x) {
  const double e = exp(x);
  return 0.5 * (e + 1.0 / e);
}

}  // namespace clipmill::portable
