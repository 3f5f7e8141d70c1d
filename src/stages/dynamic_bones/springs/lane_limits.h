// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "core/math.h"
#include "scene/springs.h"
#include "stages/dynamic_bones/colliders/limit.h"

/// Angle limits of the springs of VRM files, lane by lane: few joints have one, and arc functions
/// are no faster in vectors here.
namespace clipmill::stages::dynamic_bones {

/// Chains that are simulated side by side.
inline constexpr std::size_t kSpringLanes = 8;

/// One number of each of them, for aligned loads.
struct alignas(64) Lanes {
  double at[kSpringLanes] = {};
};

/// The limits of one bone of each lane.
struct LaneLimits {
  std::array<const AngleLimit*, kSpringLanes> limits{};  ///< Null for none.
  std::array<Quat, kSpringLanes> parent_from_limit{};  ///< At rest, unit, parent's scale left out.
  std::array<PosedLimit, kSpringLanes> posed{};

  /// Sets `posed` of lanes [start, start + count). `linear`: columns of the parent's map to the
  /// world, 9 numbers a lane.
  void pose(const Lanes* linear, std::size_t start, std::size_t count);

  /// Rotates each tail whose bit in `lanes` is set (bit 0 is lane `start`) into its limit, at the
  /// same distance from its head. `head`, `tail`: 3 numbers a lane, of all lanes.
  void apply(const Lanes* head, Lanes* tail, std::size_t start, unsigned lanes) const;
};

}  // namespace clipmill::stages::dynamic_bones
