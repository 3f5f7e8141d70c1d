// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::stages::dynamic_bones {

inline constexpr std::size_t kLeastTrees = 16;

/// Rigs of some chains each, together all chains of `rig`, about equally large: at most `count`,
/// and none of fewer than kLeastTrees trees. Chains that act on each other stay together. Indices
/// of chain settings keep their meaning, so that the same settings belong to all of the rigs; a
/// chain is in one of them, and has no bones in the others. Empty where there is no such split.
std::vector<Rig> splitRig(const Rig& rig, std::size_t count);

}  // namespace clipmill::stages::dynamic_bones
