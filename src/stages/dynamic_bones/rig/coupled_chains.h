// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::stages::dynamic_bones {

/// The chain setting that moves a slot, or -1.
int chainMoving(const Rig& rig, int slot);

/// By chain setting: the lowest index of the chains that act on each other and on this one. A chain
/// acts on those that hang on what it moves, or avoid it; one that acts on none has its own index.
std::vector<std::size_t> coupledChains(const Rig& rig);

}  // namespace clipmill::stages::dynamic_bones
