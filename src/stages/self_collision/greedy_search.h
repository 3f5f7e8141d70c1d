// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>

namespace clipmill::stages::self_collision {

/// Steps of the published search (docs/methods.md, self-collision): mu away from the body, nu back
/// to it.
inline constexpr int kCoarse_deg = 5;
inline constexpr int kFine_deg = 1;

/// The least angle that the published search finds free: in steps of kCoarse_deg until free, then
/// back by kFine_deg until it hits, the last free one. `is_free` is asked for angles above 0 only,
/// as 0 is known to hit. Nothing where no step up to `max_deg` is free.
std::optional<int> leastFreeAngle(const std::function<bool(int angle_deg)>& is_free, int max_deg);

/// Of the free angles the one that costs least: by kCoarse_deg from 0 on, until a step hits, costs
/// more than the one before it or passes `max_deg`; then those between the neighbours of the
/// cheapest, by kFine_deg. 0, which counts as free, where no other is cheaper.
int cheapestFreeAngle(const std::function<bool(int angle_deg)>& is_free,
                      const std::function<double(int angle_deg)>& cost_of, int max_deg);

}  // namespace clipmill::stages::self_collision
