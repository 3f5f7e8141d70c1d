// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "anim/key_reduction.h"
#include "anim/keys_referee.h"
#include "checks.h"
#include "core/to_size.h"

namespace clipmill::test {

/// Reduced keys for points up to `reach` away from each joint.
inline ReducedKeys reduceWithReach(const Skeleton& skeleton, const Motion& motion, double tolerance,
                                   double reach) {
  const std::vector<double> reaches(skeleton.size(), reach);
  return reduceKeys(skeleton, motion, {tolerance, 1e-4, reaches});
}

/// All that must hold of every reduction.
inline void checkReduction(const Skeleton& skeleton, const Motion& motion, double tolerance,
                           double reach) {
  const ReducedKeys reduced = reduceWithReach(skeleton, motion, tolerance, reach);
  CHECK(reduced.worst_error <= tolerance);
  CHECK(refereeError(skeleton, motion, reduced.tracks, reach) <= tolerance);
  const std::vector<Track> full = tracksOf(skeleton, motion);
  REQUIRE(reduced.tracks.size() == full.size());
  std::size_t keys = 0;
  for (std::size_t i = 0; i < full.size(); ++i) {
    const Track& track = reduced.tracks[i];
    CHECK(track.node == full[i].node);
    CHECK(track.path == full[i].path);
    CHECK(track.times_s->front() == full[i].times_s->front());
    if (track.times_s->size() > 1) CHECK(track.times_s->back() == full[i].times_s->back());
    CHECK(std::is_sorted(track.times_s->begin(), track.times_s->end(), std::less_equal<>()));
    CHECK(track.values.size() == track.times_s->size() * toSize(track.width));
    keys += track.times_s->size();
  }
  CHECK(keys == reduced.keys_after);
  CHECK(reduced.keys_before == full.size() * motion.grid.frame_count);
}

}  // namespace clipmill::test
