// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "anim/skeleton.h"
#include "core/result.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// The part of one node in a chain.
struct ChainNode {
  int chain = -1;             ///< Index of the chain setting; -1 for nodes outside of all chains.
  bool may_rotate = false;    ///< Its rotation is written if it has a bone.
  std::vector<int> children;  ///< Next joints of the same chain, ascending.
};

/// The part of every node of the skeleton in the chains.
/// Errors: kRecipe for a missing root or a node in two chains, kNotFound for a
/// pattern that matches nothing.
Result<std::vector<ChainNode>> findChains(const Skeleton& skeleton,
                                          const std::vector<ChainSettings>& chains);

/// "chain 'Tail*'", for messages.
std::string chainLabel(const ChainSettings& chain);

}  // namespace clipmill::stages::dynamic_bones
