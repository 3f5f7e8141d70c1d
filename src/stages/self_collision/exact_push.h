// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "stages/self_collision/exact_limb.h"
#include "stages/self_collision/exact_skin.h"

namespace clipmill::collision {

/// How near the two sides of a pair have to stay.
struct ClearanceLimits {
  std::size_t pair = 0;
  double least_m = 0.0;  ///< Not nearer, or, where negative, not deeper inside.
  /// Not farther; infinity for pairs that need not touch.
  double most_m = std::numeric_limits<double>::infinity();
};

/// A small joint change of some limbs, by a shift of each wrist or ankle and a swivel of each elbow
/// or knee, on top of those that `trial` has, which brings all pairs within their limits: hands
/// that have to stay in touch move as one. Found by steps of least norm (damped least squares,
/// J^T (J J^T + d^2 I)^-1 r, by finite differences) over the limits that are or were violated, from
/// no change and from one to the front, each then made smaller as long as it can be mended. Of
/// both the smaller. `near_m` is the length at which the figure's touches are told from gaps.
///
/// Returns one change a limb; none where none was found. `trial` is left with its changes.
std::optional<std::vector<LimbChange>> leastPush(SkinTrial& trial,
                                                 std::span<const std::size_t> limbs,
                                                 std::span<const ClearanceLimits> limits,
                                                 double near_m);

}  // namespace clipmill::collision
