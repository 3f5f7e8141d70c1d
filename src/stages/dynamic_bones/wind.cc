// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/wind.h"

#include <algorithm>
#include <cmath>

namespace clipmill::bones {
namespace {

constexpr double kWindOfSettingsSwell = 0.5;

// Spreads the bits of a counter evenly (the finaliser of SplitMix64).
std::uint64_t mixedBits(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

// Where whole numbers are no longer told apart there is no noise to speak of.
bool isNear(double position) { return std::abs(position) < 1e15; }

std::uint64_t cellOf(double whole) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
}

// 0 to 1 over [0, 1], with no slope and no curvature at both ends.
double fadeOf(double f) { return f * f * f * (f * (f * 6.0 - 15.0) + 10.0); }

// Slope of the noise at a whole number, in [-1, 1).
double slopeAt(std::uint64_t mixed_seed, double whole) {
  const std::uint64_t bits = mixedBits(mixed_seed ^ cellOf(whole));
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// A unit vector across the wind, level unless the wind itself nearly stands upright.
Vec3 leftOf(const Vec3& wind, double strength) {
  if (!(strength > 0.0)) return Vec3(0.0);
  constexpr double kUpright = 0.95;
  const bool is_upright = std::abs(wind.y) > kUpright * strength;
  const Vec3 left = glm::cross(is_upright ? Vec3(0, 0, 1) : Vec3(0, 1, 0), wind);
  return left / lengthOf(left);
}

}  // namespace

double gradientNoise(std::uint64_t seed, double position) { return NoiseLine(seed).at(position); }

NoiseLine::NoiseLine(std::uint64_t seed, double period)
    : mixed_seed_(mixedBits(seed)), period_(period) {}

double NoiseLine::at(double position) const {
  if (!isNear(position)) return 0.0;
  if (period_ > 0.0) position -= period_ * std::floor(position / period_);
  double whole = std::floor(position);
  const double f = position - whole;
  double next = whole + 1.0;
  if (period_ > 0.0) {
    if (whole >= period_) whole -= period_;
    if (next >= period_) next -= period_;
  }
  const double from = slopeAt(mixed_seed_, whole) * f;
  const double to = slopeAt(mixed_seed_, next) * (f - 1.0);
  return 2.0 * (from + (to - from) * fadeOf(f));
}

NoisePlane::NoisePlane(std::uint64_t seed) : mixed_seed_(mixedBits(seed)) {}

// What the slope at a corner gives at a place that far from it.
double NoisePlane::cornerAt(double whole_x, double whole_y, double from_x, double from_y) const {
  const std::uint64_t cell =
      cellOf(whole_x) * 0xd6e8feb86659fd93u + cellOf(whole_y) * 0xa0761d6478bd642fu;
  const std::uint64_t bits = mixedBits(mixed_seed_ ^ cell);
  const double slope_x = static_cast<double>(bits >> 32) * 0x1p-31 - 1.0;
  const double slope_y = static_cast<double>(bits & 0xffffffffu) * 0x1p-31 - 1.0;
  return slope_x * from_x + slope_y * from_y;
}

double NoisePlane::at(double x, double y) const {
  if (!isNear(x) || !isNear(y)) return 0.0;
  const double whole_x = std::floor(x), whole_y = std::floor(y);
  const double fx = x - whole_x, fy = y - whole_y;
  const double fade_x = fadeOf(fx), fade_y = fadeOf(fy);
  const auto along = [&](double wy, double gy) {
    const double from = cornerAt(whole_x, wy, fx, gy);
    return from + (cornerAt(whole_x + 1.0, wy, fx - 1.0, gy) - from) * fade_x;
  };
  const double below = along(whole_y, fy);
  return below + (along(whole_y + 1.0, fy - 1.0) - below) * fade_y;
}

// How a wind fits into its loop; in whole gusts, swells and ripples. 0 where it does not repeat.
struct WindAt::Periods {
  double gusts = 0.0, swells = 0.0, ripples = 0.0;
  explicit Periods(const Wind& wind) {
    if (!(wind.loop_s > 0.0)) return;
    gusts = std::max(2.0, std::round(wind.loop_s / wind.period_s));
    swells = std::max(1.0, std::round(gusts / Wind::kSwellPeriods));
    ripples = gusts * Wind::kRipplesPerGust;
  }
};

WindAt::WindAt(const Wind& wind, double time_s) : WindAt(wind, time_s, Periods(wind)) {}

WindAt::WindAt(const Wind& wind, double time_s, const Periods& periods)
    : mean_mps2_(wind.mean_mps2),
      strength_mps2_(lengthOf(wind.mean_mps2)),
      noise_(wind.noise),
      swell_(wind.swell),
      ripple_(wind.ripple),
      gust_m_(wind.gust_m),
      across_m_(wind.across_m),
      phase_(time_s / wind.period_s),
      swells_phase_(1.0 / Wind::kSwellPeriods),
      left_(leftOf(wind.mean_mps2, strength_mps2_)),
      up_(glm::cross(wind.mean_mps2, left_)),
      gust_x_(3 * wind.seed, periods.gusts),
      gust_y_(3 * wind.seed + 1, periods.gusts),
      gust_z_(3 * wind.seed + 2, periods.gusts),
      swells_(~wind.seed, periods.swells),
      ripple_left_(~(3 * wind.seed + 1), periods.ripples),
      ripple_up_(~(3 * wind.seed + 2), periods.ripples),
      fronts_(wind.seed) {
  if (strength_mps2_ > 0.0) up_ /= strength_mps2_;
  if (periods.gusts > 0.0) {
    // The remainder is exact, so that two times that are whole loops apart give the same bits.
    phase_ = std::fmod(time_s, wind.loop_s) / wind.loop_s * periods.gusts;
    swells_phase_ = periods.swells / periods.gusts;
  }
}

Vec3 WindAt::at(const Vec3& position_m, double depth) const {
  const bool has_ripple = ripple_ != 0.0 && depth != 0.0;
  if (!(strength_mps2_ > 0.0) || (noise_ == 0.0 && !has_ripple)) return mean_mps2_;
  const double downwind_m = glm::dot(position_m, mean_mps2_) / strength_mps2_;
  double phase = phase_ - downwind_m / gust_m_;
  if (across_m_ > 0.0) {
    phase += Wind::kUnevenness * fronts_.at(glm::dot(position_m, left_) / across_m_,
                                            glm::dot(position_m, up_) / across_m_);
  }
  // The noise vanishes at whole numbers: shifted thirds keep the components from doing so together.
  const Vec3 gust(gust_x_.at(phase), gust_y_.at(phase + 1.0 / 3.0), gust_z_.at(phase + 2.0 / 3.0));
  double gust_mps2 = strength_mps2_ * noise_;
  if (swell_ != 0.0) gust_mps2 *= 1.0 + swell_ * swells_.at(phase * swells_phase_);
  Vec3 wind = mean_mps2_ + gust * gust_mps2;
  if (has_ripple) {
    const double wave = Wind::kRipplesPerGust * phase - Wind::kRipplesPerChain * depth;
    const Vec3 ripple = left_ * ripple_left_.at(wave) + up_ * ripple_up_.at(wave + 0.5);
    wind += ripple * (strength_mps2_ * ripple_ * depth);
  }
  return wind;
}

WindAt Wind::at(double time_s) const { return WindAt(*this, time_s); }

Vec3 Wind::at(const Vec3& position_m, double time_s, double depth) const {
  return WindAt(*this, time_s).at(position_m, depth);
}

Wind windOf(const DynamicBonesSettings& settings) {
  Wind wind;
  wind.mean_mps2 = Vec3(settings.wind_mps2[0], settings.wind_mps2[1], settings.wind_mps2[2]);
  wind.noise = settings.wind_noise;
  wind.period_s = settings.wind_period_s;
  wind.gust_m = settings.wind_gust_m;
  wind.across_m = settings.wind_gust_m;
  wind.swell = kWindOfSettingsSwell;
  wind.ripple = settings.wind_ripple;
  wind.seed = static_cast<std::uint64_t>(settings.seed);
  return wind;
}

}  // namespace clipmill::bones
