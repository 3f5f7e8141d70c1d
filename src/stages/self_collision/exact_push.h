// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "stages/self_collision/exact_layers.h"
#include "stages/self_collision/exact_limb.h"
#include "stages/self_collision/exact_samples.h"
#include "stages/self_collision/exact_skin.h"

namespace clipmill::collision {

/// How near the two sides of a pair have to stay.
struct ClearanceLimits {
  std::size_t pair = 0;
  double least_m = 0.0;  ///< Not nearer, or, where negative, not deeper inside.
  /// Not farther; infinity for pairs that need not touch.
  double most_m = std::numeric_limits<double>::infinity();
};

/// A pose in which a push has to do its work.
struct PushPose {
  std::vector<Transform> locals;
  std::vector<double> weights;
  std::vector<LimbChange> changes;  ///< That the push comes on top of, one a limb of the figure.
  std::vector<ClearanceLimits> limits;
};

/// A sample of a clip with all changes, and no limits yet.
PushPose pushPoseAt(ClipSamples& base, const LayerStack& stack, std::size_t sample);

/// A small joint change of some limbs, by a shift of each wrist or ankle, a turn of each shoulder
/// or hip and a swivel of each elbow or knee, which brings all pairs of all poses within their
/// limits: hands that have to stay in touch move as one. Found by steps of least norm (damped least
/// squares, J^T (J J^T + d^2 I)^-1 r, with the slopes of places that bones carry) over the limits
/// that are or were violated, from no change, from one to the front, and by turns and swivels
/// alone; each then made smaller as long as it can be mended. `near_m` is the length at which the
/// figure's touches are told from gaps.
///
/// Returns what was found, the smallest first, each one change a limb.
std::vector<std::vector<LimbChange>> leastPushes(const SkinTrial& figure,
                                                 std::span<const std::size_t> limbs,
                                                 std::span<const PushPose> poses, double near_m);

}  // namespace clipmill::collision
