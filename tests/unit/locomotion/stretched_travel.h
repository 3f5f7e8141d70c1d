// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/to_size.h"

namespace clipmill::test {

/// The motion in which `node` is `factor` times as far from where it starts.
inline Motion stretchedTravel(Motion motion, int node, double factor) {
  const Vec3 start = motion.localsOf(0)[toSize(node)].translation;
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    Vec3& position = motion.frame(i).locals[toSize(node)].translation;
    position = start + (position - start) * factor;
  }
  motion.modified.set(node, TrackPath::kTranslation);
  return motion;
}

}  // namespace clipmill::test
