// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "humanoid/humanoid.h"
#include "scene/scene.h"

namespace clipmill::humanoid {

/// One number from 0 to 1 for each HumanoidRole; 0 for those without a node.
using JointConfidences = std::array<double, kHumanoidRoleCount>;

/// How sure each role of a map is: the share of these checks that its node passes, of those that
/// apply to it. The file declares the role, or the name of the node does. The shape of the
/// hierarchy gives the same node (where it gives one). The node is below that of the role above.
/// The node of the other side is another one, and as far from its parent role, within a fifth.
JointConfidences jointConfidences(const Scene& scene, const HumanoidMap& map);

}  // namespace clipmill::humanoid
