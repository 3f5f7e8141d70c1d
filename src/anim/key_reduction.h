// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "anim/skeleton.h"

namespace clipmill {

/// What a reduction may cost. Distances are in file units: callers convert from millimetres.
struct KeyReductionSettings {
  double tolerance = 0.0;           ///< Largest distance by which any tip may be off, at any time.
  double weight_tolerance = 1e-4;   ///< Largest error of a morph weight.
  std::span<const double> tip_reach;  ///< One a node, see scene/tips.h; empty means 0 for all.
};

/// Fewer keys that mean the same.
struct ReducedKeys {
  std::vector<Track> tracks;    ///< One for each touched track; the first and last key always stay.
  std::size_t keys_before = 0;
  std::size_t keys_after = 0;
  double worst_error = 0.0;     ///< Largest tip error measured, at all frames and halfway between.
};

/// Leaves out keys of the touched tracks of `motion` as long as no tip of the hierarchy moves by more
/// than the tolerance from where all keys would put it. Tips are the origins of all descendants of a
/// touched node, and points at tip_reach from every node. Measured in world space at every frame and
/// halfway between frames, all tracks reduced together; the bound is never broken.
ReducedKeys reduceKeys(const Skeleton& skeleton, const Motion& motion,
                       const KeyReductionSettings& settings);

}  // namespace clipmill
