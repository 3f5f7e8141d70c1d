// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "scene/scene.h"

namespace clipmill {

/// The shell distance of each node (ACL), in file units, without its children: the farthest vertex
/// of which the node is the strongest joint, at bind; for a node without such vertices and without
/// children the length of the bone that leads to it. The error of a reduced rotation is measured at
/// this distance.
std::vector<double> shellDistances(const Scene& scene);

}  // namespace clipmill
