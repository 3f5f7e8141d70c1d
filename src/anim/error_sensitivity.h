// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/motion.h"
#include "anim/skeleton.h"

namespace clipmill {

/// What a unit of change in a node's local transform moves at its tips, largest over all frames.
struct ErrorSensitivity {
  double translation = 0.0;
  double rotation = 0.0;  ///< A unit is a radian.
  double scale = 0.0;

  double of(TrackPath path) const {
    return path == TrackPath::kTranslation ? translation
           : path == TrackPath::kRotation  ? rotation
                                           : scale;
  }
};

/// The error sensitivity of all nodes in `motion`. Tips are the origins of the nodes below, and
/// points within `shell_distances` of a node's origin (node space; empty means 0 for all). A bound:
/// reach is measured along the bones.
std::vector<ErrorSensitivity> errorSensitivityOf(const Skeleton& skeleton, const Motion& motion,
                                                 std::span<const double> shell_distances);

/// For every node the largest sum of `own` along a chain from a root through it to a leaf.
std::vector<double> mostAlongChains(const Skeleton& skeleton, std::span<const double> own);

}  // namespace clipmill
