// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "io/gltf/write_buffer.h"
#include "scene/scene.h"

/// The parts of writeGlb, each in a file of its own. They add to `root`, the JSON of the file.
namespace clipmill::io::gltf::glb_writer {

/// Gives the object a name unless it is empty.
void setName(nlohmann::ordered_json& object, const std::string& name);

/// A node with its transform at rest. `node.name` "#<id>" means no name.
nlohmann::ordered_json nodeJson(const Node& node, const std::vector<int>& children);

/// One accessor of the inverse bind matrices. Returns its index.
int addBindMatrices(const Skin& skin, BufferBuilder& buffer);

/// Four influences of each vertex, one vertex behind the other.
struct InfluenceValues {
  std::vector<std::uint32_t> joints;
  std::vector<double> weights;
};
/// As many sets as the vertices of `mesh` need. Influences are sorted by descending weight, each
/// joint once, and sum to 1.
std::vector<InfluenceValues> influenceValuesOf(const SkinnedMesh& mesh);

/// Adds JOINTS_n, with 8 bits where a skin of `joint_count` allows it. Returns the accessor's
/// index.
int addJointIndices(std::span<const std::uint32_t> joints, std::size_t joint_count,
                    BufferBuilder& buffer);
/// Adds WEIGHTS_n. Returns the accessor's index.
int addInfluenceWeights(std::span<const double> weights, BufferBuilder& buffer);

/// An accessor whose views are counted from `first_view`.
nlohmann::ordered_json accessorJson(const Accessor& accessor, std::size_t first_view);

/// Extensions that the file uses: the name, and whether nobody can do without.
using Extensions = std::set<std::pair<std::string, bool>>;

/// Materials, and the images and textures that they name.
void writeMaterials(const Scene& scene, BufferBuilder& buffer, Extensions& extensions,
                    nlohmann::ordered_json& root);

/// One mesh for each node that carries any, and the node's references to it and its skin.
void writeMeshes(const Scene& scene, BufferBuilder& buffer, nlohmann::ordered_json& root);

/// Cameras and lights, and the nodes' references to them.
void writeViews(const Scene& scene, Extensions& extensions, nlohmann::ordered_json& root);

/// The extension VRMC_vrm_animation: roles, expressions and gaze of the scene's nodes.
void writeVrmAnimation(const Scene& scene, Extensions& extensions, nlohmann::ordered_json& root);

}  // namespace clipmill::io::gltf::glb_writer
