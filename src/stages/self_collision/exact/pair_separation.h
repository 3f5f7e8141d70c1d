// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "penetration/self_penetration.h"
#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {

/// By how much the motion of a limb from one pose to another separates a pair, metres; negative
/// where it brings the parts nearer, 0 for a limb that takes no part. To first order: the points
/// that `measured` found in the pose `from` are carried by the nearest bone of the limb. `from` and
/// `to`: metric world_from_node.
double separation_m(const MovableLimb& limb, const penetration::PartPair& pair,
                    const penetration::PairClearance& measured, std::span<const Affine> from,
                    std::span<const Affine> to);

}  // namespace clipmill::stages::self_collision
