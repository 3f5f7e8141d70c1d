// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace clipmill::collision {

/// When two parts of a body are held together on purpose.
struct TouchLimits {
  double near_m = 0.0;       ///< Nearer than this, or inside.
  double speed_mps = 0.0;    ///< Slower than this against each other.
  double shortest_s = 0.15;  ///< For at least so long, unless an end of the clip cuts it.
};

/// At which samples a touch is deliberate: hands on hips, clasped hands, crossed arms. A limb that
/// rests deep inside is one too: that is where a leaner body has its surface. `distance_m` is
/// negative inside.
std::vector<bool> findTouches(std::span<const double> distance_m, std::span<const double> speed_mps,
                              double step_s, const TouchLimits& limits);

}  // namespace clipmill::collision
