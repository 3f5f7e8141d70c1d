// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "io/gltf/write_buffer.h"
#include "scene/scene.h"

/// The parts of writeGlb, each in a file of its own. They add to `root`, the JSON of the file.
namespace clipmill::glb_writer {

/// Gives the object a name unless it is empty.
void setName(nlohmann::ordered_json& object, const std::string& name);

/// Extensions that the file uses: the name, and whether nobody can do without.
using Extensions = std::set<std::pair<std::string, bool>>;

/// Materials, and the images and textures that they name.
void writeMaterials(const Scene& scene, BufferBuilder& buffer, Extensions& extensions,
                    nlohmann::ordered_json& root);

/// One mesh for each node that carries any, and the node's references to it and its skin.
void writeMeshes(const Scene& scene, BufferBuilder& buffer, nlohmann::ordered_json& root);

}  // namespace clipmill::glb_writer
