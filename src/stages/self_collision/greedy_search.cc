// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/greedy_search.h"

#include <algorithm>

namespace clipmill::stages::self_collision {

std::optional<int> leastFreeAngle(const std::function<bool(int angle_deg)>& is_free, int max_deg) {
  int angle_deg = kCoarse_deg;
  while (angle_deg <= max_deg && !is_free(angle_deg)) angle_deg += kCoarse_deg;
  if (angle_deg > max_deg) return std::nullopt;
  const int hitting_deg = angle_deg - kCoarse_deg;
  while (angle_deg - kFine_deg > hitting_deg && is_free(angle_deg - kFine_deg)) {
    angle_deg -= kFine_deg;
  }
  return angle_deg;
}

int cheapestFreeAngle(const std::function<bool(int angle_deg)>& is_free,
                      const std::function<double(int angle_deg)>& cost_of, int max_deg) {
  int best_deg = 0;
  double best = cost_of(0);
  const auto improves = [&](int angle_deg) {
    if (!is_free(angle_deg)) return false;
    const double cost = cost_of(angle_deg);
    if (!(cost < best)) return false;
    best = cost;
    best_deg = angle_deg;
    return true;
  };
  int angle_deg = kCoarse_deg;
  while (angle_deg <= max_deg && improves(angle_deg)) angle_deg += kCoarse_deg;
  const int coarse_deg = best_deg;
  const int first_deg = std::max(coarse_deg - kCoarse_deg, 0) + kFine_deg;
  const int last_deg = std::min(coarse_deg + kCoarse_deg - kFine_deg, max_deg);
  // Towards the body only until the first angle that is not free.
  for (int fine = coarse_deg + kFine_deg; fine <= last_deg && is_free(fine); fine += kFine_deg) {
    improves(fine);
  }
  for (int fine = coarse_deg - kFine_deg; fine >= first_deg; fine -= kFine_deg) improves(fine);
  return best_deg;
}

}  // namespace clipmill::stages::self_collision
