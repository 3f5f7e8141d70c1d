// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "anim/motion.h"
#include "core/result.h"
#include "scene/scene.h"

/// Clips at other instants than their own frames.
namespace clipmill {

/// What the clip of `motion` has keys for, and whatever else of it is not at rest.
TrackMask movedTracks(const Scene& scene, const Motion& motion);

/// A motion that is to be made.
struct PlannedMotion {
  std::string clip_name;
  TimeGrid grid;
};

/// Checks all motions that a stage is to hold at once, before the first of them is made. Error:
/// kLimit where they need more memory than `max_bytes` together; it names the longest.
Status checkMotionSizes(const Skeleton& skeleton, std::span<const PlannedMotion> motions,
                        double max_bytes);

/// `motion` at other times: frame i of `grid` shows the instant source_s[i], one a frame, held at
/// the ends of the clip. What the clip moves is marked as modified, and the source is left out: its
/// instants are not those of the result any more.
Motion resampled(const Scene& scene, const Motion& motion, const TimeGrid& grid,
                 std::span<const double> source_s);

}  // namespace clipmill
