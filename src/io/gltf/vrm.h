// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "io/gltf/read_parts.h"

namespace clipmill::io::gltf {

/// Springs, roles of nodes, expressions and gaze that VRM 0.x, VRM 1.0 and VRMA files declare, into
/// Scene::springs, Scene::humanoid and Scene::face; and Scene::t_pose_front. Where a file has
/// springs of both versions, those of 1.0 count. What breaks the rules is left out with a warning,
/// and the file loads all the same. Error: kLimit.
Status readVrm(const Document& document, const std::vector<int>& node_of_source,
               AccessorReader& accessors, Scene& scene);

}  // namespace clipmill::io::gltf
