// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "io/fbx/document.h"
#include "io/fbx/read_nodes.h"
#include "io/fbx/read_shapes.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

/// Translation, rotation and scale between a Model, whose properties these are, and the mesh that
/// it shows: node from geometry.
Affine geometricTransform(const Properties& properties);

/// Appends the meshes of all nodes to `scene`, one a node, vertices being the control points in the
/// space of the node (geometric transform applied), and the skins that they use.
/// SkinnedMesh::material and triangle_materials are indices in Scene::materials through
/// `material_of_object` (-1 for objects that are none). Errors: kMalformed for indices that name
/// nothing and arrays of the wrong length, kLimit where the vertices would take more than
/// `max_decoded_bytes`.
Status readMeshes(const Document& document, const Nodes& nodes, const Shapes& shapes,
                  const std::vector<int>& material_of_object, std::uint64_t max_decoded_bytes,
                  Scene& scene);

/// The clusters of a geometry as a skin of `scene` and as influences of `mesh`. Nothing happens
/// where the geometry has none.
Status readSkin(const Document& document, const Nodes& nodes, int geometry, SkinnedMesh& mesh,
                Scene& scene);

/// A matrix of a cluster ("Transform", "TransformLink"), where it has one. Error: kMalformed.
Result<std::optional<Affine>> matrixOf(const Element& cluster, std::string_view name);

}  // namespace clipmill::io::fbx
