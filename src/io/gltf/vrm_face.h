// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "io/gltf/json_fields.h"
#include "scene/scene.h"

namespace clipmill::io::gltf {

/// `expressions` and `lookAt` of `extensions.VRMC_vrm` into Scene::face. What breaks the rules is
/// left out with a warning.
void readVrm1Face(const Json& extension, const std::vector<int>& node_of_source, Scene& scene);

/// `expressions` and `lookAt` of `extensions.VRMC_vrm_animation` likewise.
void readAnimationFace(const Json& extension, const std::vector<int>& node_of_source, Scene& scene);

/// `blendShapeMaster` and `firstPerson` of `extensions.VRM` (0.x) likewise, under the names that
/// VRM 1.0 gives to presets. `root` is the file: binds name meshes. The curves of its ranges are
/// taken as straight, as by VRM 1.0.
void readVrm0Face(const Json& extension, const Json& root, const std::vector<int>& node_of_source,
                  Scene& scene);

}  // namespace clipmill::io::gltf
