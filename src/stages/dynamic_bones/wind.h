// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/math.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// Smooth noise over the line, continuous with its first two derivatives, 0 on average, within
/// [-1, 1]. Another seed gives another noise. (Gradient noise after K. Perlin, one dimension.)
double gradientNoise(std::uint64_t seed, double position);

/// Acceleration by wind (the disturbance d of SOURCES S0): a mean and gusts whose direction and
/// strength come from noise. Gusts are as long as `gust_m` and drift with the wind, so that they
/// depend on place and time alone and are the same at any frame rate.
struct Wind {
  Vec3 mean_mps2{0.0};
  double noise = 0.0;     ///< Strength of gusts relative to the mean.
  double period_s = 1.0;  ///< Time a gust takes to pass.
  double gust_m = 1.0;    ///< Length of a gust.
  std::uint64_t seed = 1;

  /// Acceleration in m/s^2 at a place in metric world space and a time of the clip.
  Vec3 at(const Vec3& position_m, double time_s) const;
};

Wind windOf(const DynamicBonesSettings& settings);

}  // namespace clipmill::bones
