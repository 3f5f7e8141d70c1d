// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/skeleton.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// Chains as sets of nodes, to be told apart from all others by names.
struct ChainNodes {
  std::vector<int> roots;    ///< First joints, ascending.
  std::vector<int> members;  ///< All that swings, with the roots and the ends, ascending.
  std::vector<int> ends;     ///< Members at which a chain ends by its name.
  std::vector<int> skipped;  ///< Topmost nodes below members that do not swing.
};

/// Sets root, stop and skip of `chain` so that findChains() makes exactly these nodes of it, by a
/// glob that one can read where there is one, else, for a single chain without forks, `joints` by
/// their ids. False where neither works; `chain` is unchanged then.
bool nameChainNodes(const Skeleton& skeleton, const ChainNodes& nodes, ChainSettings& chain);

}  // namespace clipmill::bones
