// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stages/dynamic_bones/rods/rod_body.h"
#include "stages/dynamic_bones/springs/near_simd.h"

/// Broad phase of rods: which of their bones can penetrate which solids. Every processor gives the
/// same bits.
namespace clipmill::stages::dynamic_bones {

/// The part of the first bone of a rod, from its head, that cannot leave a solid: the head is
/// clamped.
inline constexpr double kClampedShare = 0.5;

/// What the bones of a batch are against solids; by bone and lane.
struct RodReach {
  Column radius_m;                   ///< The larger of the two of a bone.
  std::vector<Column> rest_depth_m;  ///< One a solid: in the bind pose; infinite: no contact.
};

/// At the end of a step (RodBatch::next): bit k of penetrating[i] is set if bone and lane i can
/// penetrate solid first + k by more than in the bind pose and `beyond_m`.
void findPenetratingRods(const RodBatch& batch, const RodReach& reach, const Capsules& capsules,
                         std::size_t first, double beyond_m, std::span<std::uint64_t> penetrating);

}  // namespace clipmill::stages::dynamic_bones
