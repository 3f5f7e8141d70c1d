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

namespace clipmill::blend {

/// How much of the other clips each node takes, 0..1. Error: kNotFound for a mask without a node.
Result<std::vector<double>> maskFactors(const Skeleton& skeleton, std::span<const BlendMask> mask);

/// Tracks whose value stands still but for jumps, as STEP keys make them: they are switched, not
/// mixed. A clip of a few frames has none.
TrackMask steppedTracks(const Skeleton& skeleton, const Motion& motion);

/// Sets the poses of `result`, whose frames are those of the plan, to the weighted mean of the
/// parts: the others weigh `factors` times what the plan says, and the first has the rest. Stepped
/// tracks are those of the part with the most weight, the first of equals. Nodes with a factor of 0
/// are left alone. What any part moves is marked as touched.
void mixParts(const Skeleton& skeleton, const BlendPlan& plan, std::span<const Part> parts,
              std::span<const double> factors, Motion& result);

/// Adds to `result` what the other parts do away from their `references` (a pose each), as much
/// as weights and factors say.
void addParts(const Skeleton& skeleton, const BlendPlan& plan, std::span<const Part> parts,
              std::span<const Pose> references, std::span<const double> factors, Motion& result);

/// The first frame of a motion.
Pose firstPose(const Motion& motion);

}  // namespace clipmill::blend
