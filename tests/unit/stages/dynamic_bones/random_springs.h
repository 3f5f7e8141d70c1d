// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "anim/pose.h"
#include "scene/scene.h"

namespace clipmill::test {

/// A body of three nodes with chains of 1 to 6 bones of all sorts: joints that skip nodes, centers,
/// colliders of every kind, one on a joint, limits, scales, virtual tips, chains on chains. Chains
/// come after what they depend on.
Scene randomScene(std::uint64_t seed, int chain_count);

/// The pose of such a scene at a time: the body sways and rotates, nodes between joints rotate, and
/// so would the joints.
void randomMotion(const Scene& scene, double time_s, PoseView pose);

}  // namespace clipmill::test
