// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/math.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Smooth noise over the line, continuous with its first two derivatives, 0 on average, within [-1,
/// 1]. Each seed gives a different noise. (Gradient noise after K. Perlin, one dimension.)
double gradientNoise(std::uint64_t seed, double position);

/// A gradient noise for many evaluations. With a period above 0 it repeats.
class NoiseLine {
 public:
  explicit NoiseLine(std::uint64_t seed, std::int64_t period = 0);
  double at(double position) const;

 private:
  std::uint64_t mixed_seed_;
  std::int64_t period_;  // 0 for none
};

/// The same over the plane; does not repeat.
class NoisePlane {
 public:
  explicit NoisePlane(std::uint64_t seed);
  double at(double x, double y) const;

 private:
  double cornerAt(std::int64_t cell_x, std::int64_t cell_y, double from_x, double from_y) const;
  std::uint64_t mixed_seed_;
};

class WindAt;

/// Acceleration by wind (the disturbance d of docs/methods.md, dynamic bones): a mean and gusts
/// whose direction and strength come from noise. Gusts are as long as `gust_m` and drift with the
/// wind, so that they depend on position and time alone and are the same at any frame rate. Their
/// fronts are uneven across the wind, they come in swells, and down the chains run waves across the
/// wind.
struct Wind {
  Vec3 mean_mps2{0.0};
  double steady = 1.0;    ///< Share of the mean that blows all the time; 0: gusts alone.
  double noise = 0.0;     ///< Strength of gusts relative to the mean.
  double period_s = 1.0;  ///< Time a gust takes to pass.
  double gust_m = 1.0;    ///< Length of a gust.
  double across_m = 0.0;  ///< Length over which fronts change across the wind; 0 for even fronts.
  double swell = 0.0;     ///< Share by which the strength of gusts varies over a swell; 0..1.
  double ripple = 0.0;    ///< Strength of waves at the tips relative to the mean.
  double loop_s = 0.0;    ///< Above 0: the wind repeats after this time, with its derivatives.
  std::uint64_t seed = 1;

  /// Largest lead or lag of a front, in gusts.
  static constexpr double kUnevenness = 2.0;
  /// Duration of a swell, in gusts.
  static constexpr int kGustsPerSwell = 4;
  /// Number of waves in the time of a gust.
  static constexpr int kRipplesPerGust = 3;
  /// Waves between the root and the tip of a chain.
  static constexpr double kRipplesPerChain = 1.0;

  /// The wind at one time of the clip, for evaluation at many positions.
  WindAt at(double time_s) const;
  /// Acceleration in m/s^2 at a position in metric world space, a time of the clip and a depth of
  /// the chain, 0 at its root and 1 at its tip. Away from the mean by at most its size times
  /// sqrt(3) noise (1 + swell) + sqrt(2) ripple depth.
  Vec3 at(const Vec3& position_m, double time_s, double depth = 0.0) const;
};

/// A wind at one time. Where it repeats, a gust lasts such that a whole number of swells fills the
/// loop, two gusts or more; in a shorter loop than six gusts a swell is the whole of it.
class WindAt {
 public:
  WindAt(const Wind& wind, double time_s);
  /// As Wind::at().
  Vec3 at(const Vec3& position_m, double depth = 0.0) const;

 private:
  struct Periods;
  WindAt(const Wind& wind, double time_s, const Periods& periods);

  Vec3 mean_mps2_;
  double strength_mps2_;
  double noise_, swell_, ripple_;
  double per_across_;  // 1/m; 0 for even fronts
  double phase_;       // gusts that have passed at the origin
  double swells_per_gust_;
  double loop_gusts_ = 0.0;  // 0 for no loop
  double per_loop_ = 0.0;
  Vec3 gusts_per_m_{0.0};  // down the wind
  Vec3 left_, up_;         // unit vectors across the wind
  NoiseLine gust_x_, gust_y_, gust_z_, swells_, ripple_left_, ripple_up_;
  NoisePlane fronts_;
};

/// The settings' wind, with uneven fronts and swells; no loop.
Wind windOf(const DynamicBonesSettings& settings);

}  // namespace clipmill::stages::dynamic_bones
