// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "scene/scene.h"
#include "stages/blend/plan.h"
#include "stages/blend/root_blend.h"
#include "stages/blend/settings.h"

namespace clipmill::stages::blend {

/// How much of the other clips each node takes, 0..1. Error: kNotFound for a mask without a node.
Result<std::vector<double>> maskFactors(const Skeleton& skeleton, std::span<const BlendMask> mask);

/// Tracks whose value is constant except for jumps, as STEP keys make them: they are switched, not
/// mixed. A clip of a few frames has none.
TrackMask steppedTracks(const Skeleton& skeleton, const Motion& motion);

/// Sets the poses of `result`, whose frames are those of the plan, to the weighted mean of the
/// parts: the others weigh `factors` times their planned weight, and the first has the remainder.
/// Stepped tracks are those of the part with the most weight, the first of equals. Nodes with a
/// factor of 0 are left alone. Tracks that any part animates are marked as modified.
void mixParts(const Skeleton& skeleton, const BlendPlan& plan, std::span<const Part> parts,
              std::span<const double> factors, Motion& result);

/// Adds to `result` the differences of the other parts from their `references` (a pose each), times
/// weights and factors.
void addParts(const Skeleton& skeleton, const BlendPlan& plan, std::span<const Part> parts,
              std::span<const Pose> references, std::span<const double> factors, Motion& result);

/// The first frame of a motion.
Pose firstPose(const Motion& motion);

}  // namespace clipmill::stages::blend
