// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/motion.h"

namespace clipmill::stages::dynamic_bones {

/// Which nodes rotate or move against their parents in a motion: one flag a node. Keys that never
/// change, and rounding of keys, are no motion.
std::vector<bool> movingNodes(const Motion& motion);

}  // namespace clipmill::stages::dynamic_bones
