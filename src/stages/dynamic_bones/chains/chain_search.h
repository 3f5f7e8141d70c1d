// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/chains/chain_names.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// A joint with at least this many branches only connects them and is not simulated.
inline constexpr std::size_t kMinFanBranches = 3;

/// A candidate chain: a root and the nodes below it.
struct Strand {
  ChainClass chain_class = ChainClass::kAccessory;
  bool by_name = true;       ///< Else by layout.
  int root = -1;             ///< Index in Skeleton::nodes, as all that follow.
  int attachment = -1;       ///< The nearest joint of the body above, else the parent.
  std::vector<int> members;  ///< All simulated nodes, with root and ends, ascending.
  std::vector<int> ends;     ///< Members whose names mark the end of a chain.
  std::vector<int> skipped;  ///< Topmost nodes below members that are not simulated.
  bool keeps_root = false;   ///< The root connects branches and is not simulated itself.
  /// One per motion: the first member that it animates, or -1.
  std::vector<int> moved_members;
  double length_m = 0.0;  ///< The longest path from the root to a tip, at rest.
  double bones_m = 0.0;   ///< All bones together.
};

bool isMovedInAny(const Strand& strand);
/// False without motions.
bool isMovedInAll(const Strand& strand);

/// All chains of findChainsToSwing(), before moved ones and breasts are left out, in the order of
/// their roots.
std::vector<Strand> findStrands(const Scene& scene, const humanoid::HumanoidMap& map,
                                std::span<const Motion> motions,
                                const std::vector<ChainSettings>& given);

}  // namespace clipmill::stages::dynamic_bones
