// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/integer_deltas.h"

#include <algorithm>
#include <cmath>

namespace clipmill {
namespace {

// Steps that the longest displacement has to have: each is off by half a step at most.
constexpr double kLeastSteps = 200.0;

// The least power of two that is not below `value`; 1 for 0.
double powerAbove(double value) {
  double power = 1.0;
  while (value > 0.0 && power * 0.5 >= value) power *= 0.5;
  while (power < value) power *= 2.0;
  return power;
}

}  // namespace

double longestComponent(std::span<const Vec3> deltas) {
  double longest = 0.0;
  for (const Vec3& delta : deltas) {
    for (int i = 0; i < 3; ++i) longest = std::max(longest, std::abs(delta[i]));
  }
  return longest;
}

double integerScale(const AddedMorph& morph) {
  if (!morph.as_int16) return 0.0;
  if (morph.has_unit_scale) return 1.0;
  const double positions = longestComponent(morph.position_deltas);
  const double both = std::max(positions, longestComponent(morph.normal_deltas));
  if (!std::isfinite(both)) return 0.0;
  const double own = powerAbove(positions), scale = powerAbove(both);
  const bool has_steps = positions / scale * kLargestShort >= kLeastSteps;
  return has_steps && scale <= std::max(own, 1.0) ? scale : own;
}

}  // namespace clipmill
