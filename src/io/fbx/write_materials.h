// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "io/fbx/file_builder.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

/// Materials as Phong, images as Video and Texture objects. Returns the objects
/// of Scene::materials.
std::vector<std::int64_t> writeMaterials(const Scene& scene, FileBuilder& file);

}  // namespace clipmill::io::fbx
