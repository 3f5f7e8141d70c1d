// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/wind.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr double kWindOfSettingsSwell = 0.5;
constexpr double kMaxGusts = 1e9;  // of a loop

// Spreads the bits of a counter evenly (the finaliser of SplitMix64).
std::uint64_t mixedBits(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

// Beyond this, doubles do not resolve fractions, and the noise is 0.
bool isResolvable(double position) { return std::abs(position) < 1e15; }

// The largest whole number up to `position`, which is resolvable.
std::int64_t cellOf(double position) {
  const auto towards_zero = static_cast<std::int64_t>(position);
  return towards_zero - (static_cast<double>(towards_zero) > position ? 1 : 0);
}

// 0 to 1 over [0, 1], with no slope and no curvature at both ends.
double fadeOf(double f) { return f * f * f * (f * (f * 6.0 - 15.0) + 10.0); }

// Slope of the noise at a whole number, in [-1, 1).
double slopeAt(std::uint64_t mixed_seed, std::int64_t cell) {
  const std::uint64_t bits = mixedBits(mixed_seed ^ static_cast<std::uint64_t>(cell));
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

// The index of a cell in a periodic line of `period` cells.
std::int64_t wrapped(std::int64_t cell, std::int64_t period) {
  if (period == 0 || (cell >= 0 && cell < period)) return cell;
  const std::int64_t rest = cell % period;
  return rest < 0 ? rest + period : rest;
}

// `position` less whole periods, so that it is in [0, period) or next to it.
double folded(double position, double period, double per_period) {
  const double periods = position * per_period;
  return isResolvable(periods) ? position - period * static_cast<double>(cellOf(periods)) : 0.0;
}

// A unit vector normal to the wind; horizontal unless the wind is nearly vertical.
Vec3 leftOf(const Vec3& wind, double strength) {
  if (!(strength > 0.0)) return Vec3(0.0);
  constexpr double kUpright = 0.95;
  const bool is_upright = std::abs(wind.y) > kUpright * strength;
  const Vec3 left = glm::cross(is_upright ? Vec3(0, 0, 1) : Vec3(0, 1, 0), wind);
  return left / lengthOf(left);
}

}  // namespace

double gradientNoise(std::uint64_t seed, double position) { return NoiseLine(seed).at(position); }

NoiseLine::NoiseLine(std::uint64_t seed, std::int64_t period)
    : mixed_seed_(mixedBits(seed)), period_(period) {}

double NoiseLine::at(double position) const {
  if (!isResolvable(position)) return 0.0;
  const std::int64_t cell = cellOf(position);
  const double f = position - static_cast<double>(cell);
  const double from = slopeAt(mixed_seed_, wrapped(cell, period_)) * f;
  const double to = slopeAt(mixed_seed_, wrapped(cell + 1, period_)) * (f - 1.0);
  return 2.0 * (from + (to - from) * fadeOf(f));
}

NoisePlane::NoisePlane(std::uint64_t seed) : mixed_seed_(mixedBits(seed)) {}

// The contribution of a corner's slope at an offset from that corner.
double NoisePlane::cornerAt(std::int64_t cell_x, std::int64_t cell_y, double from_x,
                            double from_y) const {
  const std::uint64_t cell = static_cast<std::uint64_t>(cell_x) * 0xd6e8feb86659fd93u +
                             static_cast<std::uint64_t>(cell_y) * 0xa0761d6478bd642fu;
  const std::uint64_t bits = mixedBits(mixed_seed_ ^ cell);
  // Signed halves convert at once.
  const double slope_x = static_cast<double>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-31;
  const double slope_y = static_cast<double>(static_cast<std::int32_t>(bits)) * 0x1p-31;
  return slope_x * from_x + slope_y * from_y;
}

double NoisePlane::at(double x, double y) const {
  if (!isResolvable(x) || !isResolvable(y)) return 0.0;
  const std::int64_t cell_x = cellOf(x), cell_y = cellOf(y);
  const double fx = x - static_cast<double>(cell_x), fy = y - static_cast<double>(cell_y);
  const double fade_x = fadeOf(fx);
  const auto along = [&](std::int64_t row, double from_row) {
    const double from = cornerAt(cell_x, row, fx, from_row);
    return from + (cornerAt(cell_x + 1, row, fx - 1.0, from_row) - from) * fade_x;
  };
  const double below = along(cell_y, fy);
  return below + (along(cell_y + 1, fy - 1.0) - below) * fadeOf(fy);
}

// How a wind fits into its loop; in whole gusts and swells. 0 where it does not repeat.
struct WindAt::Periods {
  std::int64_t gusts = 0, swells = 0;
  explicit Periods(const Wind& wind) {
    if (!(wind.loop_s > 0.0)) return;
    const double fitting = std::min(std::round(wind.loop_s / wind.period_s), kMaxGusts);
    gusts = std::max<std::int64_t>(2, static_cast<std::int64_t>(fitting));
    swells = std::max<std::int64_t>(1, (gusts + Wind::kGustsPerSwell / 2) / Wind::kGustsPerSwell);
  }
};

WindAt::WindAt(const Wind& wind, double time_s) : WindAt(wind, time_s, Periods(wind)) {}

WindAt::WindAt(const Wind& wind, double time_s, const Periods& periods)
    : mean_mps2_(wind.mean_mps2 * wind.steady),
      strength_mps2_(lengthOf(wind.mean_mps2)),
      noise_(wind.noise),
      swell_(wind.swell),
      ripple_(wind.ripple),
      per_across_(wind.across_m > 0.0 ? 1.0 / wind.across_m : 0.0),
      phase_(time_s / wind.period_s),
      swells_per_gust_(1.0 / Wind::kGustsPerSwell),
      left_(leftOf(wind.mean_mps2, strength_mps2_)),
      up_(glm::cross(wind.mean_mps2, left_)),
      gust_x_(3 * wind.seed, periods.gusts),
      gust_y_(3 * wind.seed + 1, periods.gusts),
      gust_z_(3 * wind.seed + 2, periods.gusts),
      swells_(~wind.seed, periods.swells),
      ripple_left_(~(3 * wind.seed + 1), Wind::kRipplesPerGust * periods.gusts),
      ripple_up_(~(3 * wind.seed + 2), Wind::kRipplesPerGust * periods.gusts),
      fronts_(wind.seed) {
  if (strength_mps2_ > 0.0) {
    up_ /= strength_mps2_;
    gusts_per_m_ = wind.mean_mps2 / (strength_mps2_ * wind.gust_m);
  }
  if (periods.gusts == 0) return;
  loop_gusts_ = static_cast<double>(periods.gusts);
  per_loop_ = 1.0 / loop_gusts_;
  // The remainder is exact, so that two times that are whole loops apart give the same bits.
  phase_ = std::fmod(time_s, wind.loop_s) / wind.loop_s * loop_gusts_;
  swells_per_gust_ = static_cast<double>(periods.swells) / loop_gusts_;
}

Vec3 WindAt::at(const Vec3& position_m, double depth) const {
  const bool has_ripple = ripple_ != 0.0 && depth != 0.0;
  if (!(strength_mps2_ > 0.0) || (noise_ == 0.0 && !has_ripple)) return mean_mps2_;
  double phase = phase_ - glm::dot(position_m, gusts_per_m_);
  if (per_across_ > 0.0) {
    phase += Wind::kUnevenness * fronts_.at(glm::dot(position_m, left_) * per_across_,
                                            glm::dot(position_m, up_) * per_across_);
  }
  if (loop_gusts_ > 0.0) phase = folded(phase, loop_gusts_, per_loop_);
  // The noise vanishes at whole numbers: shifted thirds keep the components from doing so together.
  const Vec3 gust(gust_x_.at(phase), gust_y_.at(phase + 1.0 / 3.0), gust_z_.at(phase + 2.0 / 3.0));
  double gust_mps2 = strength_mps2_ * noise_;
  if (swell_ != 0.0) gust_mps2 *= 1.0 + swell_ * swells_.at(phase * swells_per_gust_);
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
  wind.steady = settings.wind_mean;
  wind.noise = settings.wind_noise;
  wind.period_s = settings.wind_period_s;
  wind.gust_m = settings.wind_gust_m;
  wind.across_m = settings.wind_gust_m;
  wind.swell = kWindOfSettingsSwell;
  wind.ripple = settings.wind_ripple;
  wind.seed = static_cast<std::uint64_t>(settings.seed);
  return wind;
}

}  // namespace clipmill::stages::dynamic_bones
