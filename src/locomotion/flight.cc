// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/flight.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/math.h"

namespace clipmill::locomotion {
namespace {

constexpr double kShortest_s = 0.15, kLongest_s = 4.0;
constexpr double kWeakest_mps2 = 4.0, kStrongest_mps2 = 20.0;
constexpr double kRoughness = 1e-3;  // of the character's height

// y = a + b x + c x^2 by least squares.
struct Parabola {
  double a = 0.0, b = 0.0, c = 0.0;
  double rms = 0.0;  // of the residuals
};

std::optional<Parabola> fit(std::span<const double> xs, std::span<const double> ys) {
  if (xs.size() < 3) return std::nullopt;
  const double n = static_cast<double>(xs.size());
  // About the middle and in units of the half length: keeps the equations well conditioned.
  const double middle = 0.5 * (xs.front() + xs.back()), half = 0.5 * (xs.back() - xs.front());
  if (!(half > 0.0)) return std::nullopt;
  double s1 = 0, s2 = 0, s3 = 0, s4 = 0, y0 = 0, y1 = 0, y2 = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double u = (xs[i] - middle) / half, u2 = u * u;
    s1 += u, s2 += u2, s3 += u2 * u, s4 += u2 * u2;
    y0 += ys[i], y1 += ys[i] * u, y2 += ys[i] * u2;
  }
  const Mat3 normal(Vec3(n, s1, s2), Vec3(s1, s2, s3), Vec3(s2, s3, s4));
  const Vec3 k = glm::inverse(normal) * Vec3(y0, y1, y2);
  if (!isFinite(k)) return std::nullopt;
  double squares = 0.0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double u = (xs[i] - middle) / half;
    const double left = ys[i] - (k[0] + u * (k[1] + u * k[2]));
    squares += left * left;
  }
  const double b = k[1] / half, c = k[2] / (half * half);
  return Parabola{k[0] - b * middle + c * middle * middle, b - 2.0 * c * middle, c,
                  std::sqrt(squares / n)};
}

Flight flightOf(const Parabola& parabola, double start_s, double end_s) {
  const auto& [a, b, c, rms] = parabola;
  return {start_s, end_s, a + start_s * (b + start_s * c), b + 2.0 * c * start_s, -2.0 * c};
}

bool flies(const Parabola& parabola, double character_m) {
  const double gravity_mps2 = -2.0 * parabola.c;
  return gravity_mps2 >= kWeakest_mps2 && gravity_mps2 <= kStrongest_mps2 &&
         parabola.rms <= kRoughness * character_m;
}

}  // namespace

double Flight::heightAfter(double time_s) const {
  return height_m + time_s * (rise_mps - 0.5 * gravity_mps2 * time_s);
}

std::optional<Flight> fitParabola(std::span<const double> times_s,
                                  std::span<const double> heights_m) {
  const auto parabola = fit(times_s, heights_m);
  if (!parabola) return std::nullopt;
  return flightOf(*parabola, times_s.front(), times_s.back());
}

std::optional<Flight> findFlight(std::span<const double> times_s, std::span<const double> heights_m,
                                 double character_m) {
  std::optional<Flight> longest;
  std::size_t end = 0;  // a longer stretch than the longest so far ends beyond its length
  for (std::size_t start = 0; start < times_s.size(); ++start) {
    const double least_s = longest ? longest->duration_s() : kShortest_s;
    for (end = start + 2; end < times_s.size(); ++end) {
      const double length_s = times_s[end] - times_s[start];
      if (length_s <= least_s) continue;
      if (length_s > kLongest_s) break;
      const std::size_t count = end - start + 1;
      const auto parabola = fit(times_s.subspan(start, count), heights_m.subspan(start, count));
      // What does not fit does not get better by going on.
      if (!parabola || !flies(*parabola, character_m)) break;
      longest = flightOf(*parabola, times_s[start], times_s[end]);
    }
  }
  return longest;
}

std::optional<double> flightTime(const Flight& flight, double rise_m) {
  const double drop_m = flight.heightAfter(flight.duration_s()) - flight.height_m + rise_m;
  const double v = flight.rise_mps, g = flight.gravity_mps2;
  const double square = v * v - 2.0 * g * drop_m;
  if (!(g > 0.0) || !(square >= 0.0)) return std::nullopt;
  const double time_s = (v + std::sqrt(square)) / g;
  return time_s > 0.0 ? std::optional(time_s) : std::nullopt;
}

}  // namespace clipmill::locomotion
