// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/wind.h"

#include <cmath>

namespace clipmill::bones {
namespace {

// Spreads the bits of a counter evenly (the finaliser of SplitMix64).
std::uint64_t mixedBits(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

// Slope of the noise at a whole number, in [-1, 1).
double slopeAt(std::uint64_t seed, double whole) {
  const auto cell = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  const std::uint64_t bits = mixedBits(mixedBits(seed) ^ cell);
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

}  // namespace

double gradientNoise(std::uint64_t seed, double position) {
  // Where whole numbers are no longer told apart there is no noise to speak of.
  if (!(std::abs(position) < 1e15)) return 0.0;
  const double whole = std::floor(position);
  const double f = position - whole;
  const double from = slopeAt(seed, whole) * f;
  const double to = slopeAt(seed, whole + 1.0) * (f - 1.0);
  const double fade = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  return 2.0 * (from + (to - from) * fade);
}

Vec3 Wind::at(const Vec3& position_m, double time_s) const {
  const double strength = std::sqrt(glm::dot(mean_mps2, mean_mps2));
  if (!(strength > 0.0) || noise == 0.0) return mean_mps2;
  const double downwind_m = glm::dot(position_m, mean_mps2) / strength;
  const double phase = time_s / period_s - downwind_m / gust_m;
  // The noise vanishes at whole numbers: shifted thirds keep the components from doing so together.
  const Vec3 gust(gradientNoise(3 * seed, phase), gradientNoise(3 * seed + 1, phase + 1.0 / 3.0),
                  gradientNoise(3 * seed + 2, phase + 2.0 / 3.0));
  return mean_mps2 + gust * (strength * noise);
}

Wind windOf(const DynamicBonesSettings& settings) {
  Wind wind;
  wind.mean_mps2 = Vec3(settings.wind_mps2[0], settings.wind_mps2[1], settings.wind_mps2[2]);
  wind.noise = settings.wind_noise;
  wind.period_s = settings.wind_period_s;
  wind.gust_m = settings.wind_gust_m;
  wind.seed = static_cast<std::uint64_t>(settings.seed);
  return wind;
}

}  // namespace clipmill::bones
