// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/write_meshes.h"

#include <algorithm>
#include <limits>
#include <map>

#include "anim/pose.h"
#include "core/to_size.h"
#include "io/fbx/new_shape.h"

namespace clipmill::io::fbx {
namespace {

std::vector<NodeMesh> nodeMeshes(const Scene& scene, FileBuilder& file) {
  std::map<int, NodeMesh> mesh_of_node;
  for (const SkinnedMesh& part : scene.meshes) {
    if (part.triangles.empty()) {
      file.losses().add("mesh_without_triangles", "a mesh without triangles is dropped", part.name);
      continue;
    }
    NodeMesh& mesh = mesh_of_node[part.node];
    mesh.node = part.node;
    mesh.skin = part.skin;
    mesh.parts.push_back(&part);
  }
  std::vector<NodeMesh> meshes;
  for (auto& [node, mesh] : mesh_of_node) {
    std::ranges::stable_sort(mesh.parts, {}, &SkinnedMesh::primitive);
    meshes.push_back(std::move(mesh));
  }
  return meshes;
}

Status checkSize(const NodeMesh& mesh) {
  std::size_t numbers = 0;
  for (const SkinnedMesh* part : mesh.parts) {
    numbers += 3 * std::max(part->vertexCount(), part->triangles.size());
  }
  if (numbers <= std::numeric_limits<std::int32_t>::max()) return {};
  return Error{ErrorCode::kLimit, "mesh " + mesh.parts.front()->name,
               "has more vertices than FBX can store", "split it"};
}

bool isInvertible(const Affine& map) { return isFinite(inverse(map).translation); }

// Skinned vertices are put where the node would show them at rest; see write_skins.cc.
Affine controlFromMesh(const Affine& world_from_bind, const Affine& world_from_node) {
  const bool is_same = world_from_bind.linear == world_from_node.linear &&
                       world_from_bind.translation == world_from_node.translation;
  if (is_same || !isInvertible(world_from_bind) || !isInvertible(world_from_node)) return {};
  return inverse(world_from_node) * world_from_bind;
}

// Materials of triangles that have none share one, made at first use.
class MaterialSlots {
 public:
  MaterialSlots(std::span<const std::int64_t> ids, FileBuilder& file) : ids_(ids), file_(file) {}

  std::int64_t idOf(int material) {
    if (material >= 0) return ids_[toSize(material)];
    if (plain_ == 0) {
      file_.losses().add(
          "triangles_without_material",
          "triangles without a material in a mesh with materials get a white material", "");
      plain_ =
          file_.add("Material", "Default", "Material", "",
                    {leaf("Version", std::int32_t{102}), leaf("ShadingModel", std::string("phong")),
                     block("Properties70", {colorProperty("DiffuseColor", Vec3(1.0))})});
    }
    return plain_;
  }

 private:
  std::span<const std::int64_t> ids_;
  FileBuilder& file_;
  std::int64_t plain_ = 0;
};

MovedPoints movedPoints(const NodeMesh& mesh, std::size_t morph) {
  MovedPoints points;
  std::size_t vertex = 0;
  for (const SkinnedMesh* part : mesh.parts) {
    const MorphTarget& target = part->morphs[morph];
    for (std::size_t v = 0; v < part->vertexCount(); ++v, ++vertex) {
      const Vec3 delta = target.position_deltas.empty() ? Vec3(0.0) : target.position_deltas[v];
      const Vec3 normal = target.normal_deltas.empty() ? Vec3(0.0) : target.normal_deltas[v];
      if (delta == Vec3(0.0) && normal == Vec3(0.0)) continue;
      points.add(vertex, transformVector(mesh.control_from_mesh, delta), normal);
    }
  }
  return points;
}

}  // namespace

void writeShapes(const Scene& scene, const NodeMesh& mesh, std::int64_t geometry, WrittenIds& ids,
                 FileBuilder& file) {
  const Node& node = scene.skeleton.nodes[toSize(mesh.node)];
  if (node.weights_count == 0) return;
  const SkinnedMesh& first = *mesh.parts.front();
  const std::int64_t blend = file.newId();
  file.add(blendShapeElement(blend, file.cleanName(first.name)));
  file.connect(blend, geometry);
  for (std::size_t m = 0; m < first.morphs.size(); ++m) {
    const std::size_t weight = toSize(node.weights_start) + m;
    const double percent = kFullPercent * scene.skeleton.rest_weights[weight];
    std::string name = file.cleanName(first.morphs[m].name);
    if (name.empty()) name = "morph_" + std::to_string(m);
    const std::int64_t channel = file.newId();
    file.add(shapeChannelElement(channel, name, percent));
    const std::int64_t shape = file.newId();
    file.add(shapeElement(shape, name, movedPoints(mesh, m)));
    file.connect(channel, blend);
    file.connect(shape, channel);
    ids.channels[weight] = channel;
  }
}

Status writeMeshes(const Scene& scene, std::span<const std::int64_t> material_ids, WrittenIds& ids,
                   FileBuilder& file) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, {}, worlds);
  MaterialSlots materials(material_ids, file);
  for (NodeMesh& mesh : nodeMeshes(scene, file)) {
    CLIPMILL_CHECK(checkSize(mesh));
    const auto node = toSize(mesh.node);
    Affine world_from_bind = worlds[node];
    if (mesh.skin >= 0) {
      world_from_bind = worldFromBind(scene.skins[toSize(mesh.skin)], mesh.node, worlds);
      mesh.control_from_mesh = controlFromMesh(world_from_bind, worlds[node]);
    }
    if (leavesOutTangents(mesh)) {
      file.losses().add("tangents",
                        "tangents of a mesh with primitives that have none are dropped; programs "
                        "compute them",
                        mesh.parts.front()->name);
    }
    std::vector<int> slots;
    const std::int64_t geometry = file.add("Geometry", mesh.parts.front()->name, "Geometry", "Mesh",
                                           geometryElements(mesh, slots));
    file.connect(geometry, ids.models[node]);
    for (const int material : slots) file.connect(materials.idOf(material), ids.models[node]);
    if (mesh.skin >= 0) {
      writeSkin(scene, mesh, world_from_bind, worlds, geometry, ids, file);
    }
    writeShapes(scene, mesh, geometry, ids, file);
  }
  return {};
}

}  // namespace clipmill::io::fbx
