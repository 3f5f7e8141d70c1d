// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "io/fbx/file_builder.h"
#include "io/fbx/write_nodes.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

/// The meshes of one node that have triangles, in their order.
struct NodeMesh {
  int node = -1;
  int skin = -1;
  std::vector<const SkinnedMesh*> parts;
  Affine control_from_mesh;  ///< From the space of the meshes to that of the control points.
};

/// One Geometry for each node that carries triangles, with its skin, its blend shapes and the
/// materials in use; `material_ids` are the objects of Scene::materials. Fills
/// WrittenIds::channels. Error: kLimit for a mesh whose corners 31 bits cannot count.
Status writeMeshes(const Scene& scene, std::span<const std::int64_t> material_ids, WrittenIds& ids,
                   FileBuilder& file);

/// -- Parts of writeMeshes()

/// Control points, polygons and layers. `slots` are the materials of the node, by which the layer
/// counts: indices in Scene::materials, -1 for triangles that have none.
std::vector<NewElement> geometryElements(const NodeMesh& mesh, std::vector<int>& slots);

/// Whether the geometry has no tangents although some parts of the mesh have.
bool leavesOutTangents(const NodeMesh& mesh);

/// The world transform of a skin's bind space for which most joints are at their rest transform.
/// `node` is a node with the skin, `worlds` are all nodes at rest.
Affine worldFromBind(const Skin& skin, int node, std::span<const Affine> worlds);

/// Skin, clusters and bind pose of a geometry.
void writeSkin(const Scene& scene, const NodeMesh& mesh, const Affine& world_from_bind,
               std::span<const Affine> worlds, std::int64_t geometry, const WrittenIds& ids,
               FileBuilder& file);

/// Blend shapes of a geometry, one channel for each morph weight of the node.
void writeShapes(const Scene& scene, const NodeMesh& mesh, std::int64_t geometry, WrittenIds& ids,
                 FileBuilder& file);

}  // namespace clipmill::io::fbx
