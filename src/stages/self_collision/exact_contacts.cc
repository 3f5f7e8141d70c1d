// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_contacts.h"

#include <cstddef>

namespace clipmill::collision {

std::vector<bool> findTouches(std::span<const double> distance_m, std::span<const double> speed_mps,
                              double step_s, const TouchLimits& limits) {
  const std::size_t count = distance_m.size();
  std::vector<bool> touches(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    touches[i] = distance_m[i] < limits.near_m && speed_mps[i] < limits.speed_mps;
  }
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin;
    while (end < count && touches[end] == touches[begin]) ++end;
    const bool is_cut = begin == 0 || end == count;
    const double lasts_s = static_cast<double>(end - begin - 1) * step_s;
    if (touches[begin] && lasts_s < limits.shortest_s && !(is_cut && end - begin < count)) {
      for (std::size_t i = begin; i < end; ++i) touches[i] = false;
    }
    begin = end;
  }
  return touches;
}

}  // namespace clipmill::collision
