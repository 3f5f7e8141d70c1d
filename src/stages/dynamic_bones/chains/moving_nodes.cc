// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/moving_nodes.h"

#include <algorithm>
#include <cstddef>

#include "core/math.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Keys of exporters differ by up to the rounding of 16-bit quaternions and of matrices taken apart.
constexpr double kStillAngle_rad = 1e-3;
constexpr double kStillShare = 1e-4;
constexpr double kShortest = 1e-5;

bool differs(const Transform& a, const Transform& b) {
  if (a == b) return false;
  const double far = kStillShare * std::max(lengthOf(a.translation), kShortest);
  return angleBetween(normalizedOrIdentity(a.rotation), normalizedOrIdentity(b.rotation)) >
             kStillAngle_rad ||
         lengthOf(b.translation - a.translation) > far;
}

}  // namespace

std::vector<bool> movingNodes(const Motion& motion) {
  std::vector<bool> moves(motion.node_count, false);
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    const auto first = motion.localsOf(0), here = motion.localsOf(frame);
    for (std::size_t i = 0; i < motion.node_count; ++i) {
      if (!moves[i]) moves[i] = differs(first[i], here[i]);
    }
  }
  return moves;
}

}  // namespace clipmill::stages::dynamic_bones
