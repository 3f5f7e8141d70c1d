// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/skeleton.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Chains as sets of nodes, for which patterns are made that match no other node.
struct ChainNodes {
  std::vector<int> roots;    ///< First joints, ascending.
  std::vector<int> members;  ///< All simulated nodes, with roots and ends, ascending.
  std::vector<int> ends;     ///< Members whose names mark the end of a chain.
  std::vector<int> skipped;  ///< Topmost nodes below members that are not simulated.
};

/// Sets root, stop and skip of `chain` so that findChains() matches exactly these nodes: by a short
/// glob where there is one, else, for a single chain without forks, `joints` by their ids. Returns
/// false where neither works; `chain` is unchanged then.
bool nameChainNodes(const Skeleton& skeleton, const ChainNodes& nodes, ChainSettings& chain);

}  // namespace clipmill::stages::dynamic_bones
