// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::stages::dynamic_bones {

/// The chain setting that moves a slot, or -1.
int chainMoving(const Rig& rig, int slot);

/// Pairs of chain settings of which the second moves what the first hangs on or avoids. All others
/// do not act on each other.
std::vector<std::pair<int, int>> coupledChains(const Rig& rig);

}  // namespace clipmill::stages::dynamic_bones
