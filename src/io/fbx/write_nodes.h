// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "io/fbx/file_builder.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

enum class ModelKind : std::uint8_t { kNull, kLimb, kMesh, kCamera, kLight };

/// The objects of the file for the parts of the scene.
struct WrittenIds {
  std::vector<ModelKind> kinds;        ///< Of every node.
  std::vector<std::int64_t> models;    ///< Of every node.
  std::vector<std::int64_t> channels;  ///< Of every morph weight: its BlendShapeChannel, or 0.
};

/// What every node of the scene becomes; see writeFbx().
std::vector<ModelKind> modelKinds(const Scene& scene);

/// What a Model holds, with the transform of the node at rest, and what the attribute of a limb
/// does.
std::vector<NewElement> modelElements(const Node& node);
std::vector<NewElement> limbElements();

/// Models with their transforms at rest, attributes of the limbs, and the hierarchy.
WrittenIds writeNodes(const Scene& scene, FileBuilder& file);

}  // namespace clipmill::io::fbx
