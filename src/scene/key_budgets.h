// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "anim/track_fit.h"
#include "scene/scene.h"

namespace clipmill {

/// Tolerances of the keys of each node, for fitTracks().
struct KeyBudgets {
  std::vector<FitTolerances> nodes;  ///< One a node.
  std::vector<double> weights;       ///< One a morph weight, in the order of Pose::weights.
};

/// Shares of the tolerance in the world, such that no error exceeds it even where all add up:
/// `position` for origins and for points within `shell_distances` of them (world units),
/// `angle_rad` for the axes of every node, relative to their length. A node's shares are as large
/// as the number of moving tracks on the longest chain through it allows; error sensitivity
/// (anim/error_sensitivity.h) and what moves are taken from `motion`. Weights may move vertices by
/// `position` once more, all targets of a node together.
KeyBudgets keyBudgets(const Scene& scene, const Motion& motion,
                      std::span<const double> shell_distances, double position, double angle_rad);

/// Whether a morph weight, by its index in Pose::weights, changes within the motion by more than
/// rounding.
bool isMoving(const Motion& motion, std::size_t weight);

}  // namespace clipmill
