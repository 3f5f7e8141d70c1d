// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/humanoid.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/chains/chain_names.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// So many branches of one joint make it one that holds them together.
inline constexpr std::size_t kFewestFanned = 3;

/// One chain that may swing: a root and what hangs on it.
struct Strand {
  ChainClass chain_class = ChainClass::kAccessory;
  bool by_name = true;       ///< Else by where it hangs.
  int root = -1;             ///< Index in Skeleton::nodes, as all that follow.
  int carrier = -1;          ///< The nearest node of the body above, else the parent.
  std::vector<int> members;  ///< All that swings, with root and ends, ascending.
  std::vector<int> ends;     ///< Members at which the chain ends by their names.
  std::vector<int> skipped;  ///< Topmost nodes below members that do not swing.
  bool keeps_root = false;   ///< The root holds branches together and does not swing itself.
  bool is_moved = false;     ///< A motion turns or moves a member.
  double length_m = 0.0;     ///< The longest way from the root to a tip, at rest.
  double bones_m = 0.0;      ///< All bones together.
};

/// All chains of findChainsToSwing(), before moved ones and breasts are left out, in the order of
/// their roots.
std::vector<Strand> findStrands(const Scene& scene, const HumanoidMap& map,
                                std::span<const Motion> motions,
                                const std::vector<ChainSettings>& given);

}  // namespace clipmill::bones
