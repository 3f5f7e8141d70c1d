// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "io/gltf/accessor.h"
#include "io/gltf/document.h"
#include "scene/scene.h"

/// The parts of readScene, each in a file of its own. They run in this order and fill one Scene.
namespace clipmill::io::gltf {

/// Nodes, hierarchy and rest pose. `node_of_source[id]` becomes the skeleton index of a glTF node.
Status readNodes(const Document& document, AccessorReader& accessors, Scene& scene,
                 std::vector<int>& node_of_source);

/// Skins: joints and inverse bind matrices (identity where absent).
Status readSkins(const Document& document, const std::vector<int>& node_of_source,
                 AccessorReader& accessors, Scene& scene);

/// Animations as clips of keyframe tracks. Without `keeps_keys` the clips are read alike, and have
/// no Clip::source.
Status readClips(const Document& document, const std::vector<int>& node_of_source, bool keeps_keys,
                 AccessorReader& accessors, Scene& scene);

/// Contents of `extras.dynbone` of nodes: an object of settings, or one text
/// "name=value;name=value". One that cannot be read is a warning. Error: kLimit.
Status readNodeSettings(const Document& document, const std::vector<int>& node_of_source,
                        AccessorReader& accessors, Scene& scene);

/// Images, in the order of `images`, their bytes encoded as in the file. One that cannot be read is
/// a warning, and keeps its path if it has one. Error: kLimit.
Status readImages(const Document& document, std::uint64_t max_file_bytes, AccessorReader& accessors,
                  Scene& scene);

/// Materials, in the order of `materials`; they name images, not textures. Faults are warnings.
/// Error: kLimit.
Status readMaterials(const Document& document, AccessorReader& accessors, Scene& scene);

/// Meshes, one SkinnedMesh for every primitive of every node that shows a mesh.
Status readMeshes(const Document& document, const std::vector<int>& node_of_source,
                  AccessorReader& accessors, Scene& scene);

/// Cameras and lights, one for every node that names one. Faults are warnings. Error: kLimit.
Status readViews(const Document& document, const std::vector<int>& node_of_source,
                 AccessorReader& accessors, Scene& scene);

/// Number of morph targets of a glTF mesh, from its first primitive.
std::size_t morphTargetCount(const nlohmann::json& mesh);

}  // namespace clipmill::io::gltf
