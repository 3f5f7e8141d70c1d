// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/stick_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "anim/pose.h"
#include "core/finite.h"
#include "core/math.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

// Of the length of a bone: where it is thickest, and how thick (half the diagonal).
constexpr double kWaist = 0.2;
constexpr double kHalfWidth = 0.08;
// Bones shorter than this part of the longest one are markers that lie on their parent.
constexpr double kShortest = 1e-6;

void addVertex(const Vec3& position, int joint, SkinnedMesh& mesh) {
  mesh.positions.push_back(position);
  mesh.influences.push_back({static_cast<std::uint32_t>(joint), 1.0});
  mesh.influence_start.push_back(mesh.influences.size());
}

// Six vertices: head, four about the waist, tip. Every face looks outwards.
void addBone(const Vec3& head, const Vec3& tip, int parent, int child, SkinnedMesh& mesh) {
  const Vec3 along = tip - head;
  const Vec3 other = std::abs(along.x) < 0.6 * lengthOf(along) ? Vec3(1, 0, 0) : Vec3(0, 1, 0);
  Vec3 side = glm::cross(along, other);
  side *= kHalfWidth * lengthOf(along) / lengthOf(side);
  Vec3 front = glm::cross(along, side);
  front *= kHalfWidth * lengthOf(along) / lengthOf(front);
  const Vec3 waist = head + along * kWaist;
  const std::uint32_t first = static_cast<std::uint32_t>(mesh.vertexCount());
  addVertex(head, parent, mesh);
  for (const Vec3& offset : {side, front, -side, -front}) addVertex(waist + offset, parent, mesh);
  addVertex(tip, child, mesh);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t a = first + 1 + i, b = first + 1 + (i + 1) % 4;
    mesh.triangles.insert(mesh.triangles.end(), {first, b, a, a, b, first + 5});
  }
}

Material greyMaterial() {
  Material material;
  material.name = "Sticks";
  material.base_color = Vec4(0.6, 0.6, 0.6, 1.0);
  material.metallic = 0.0;
  material.roughness = 0.8;
  return material;
}

}  // namespace

void addStickMesh(Scene& scene) {
  if (!scene.meshes.empty()) return;
  const Skeleton& skeleton = scene.skeleton;
  std::vector<Affine> worlds;
  computeWorlds(skeleton, restPose(skeleton).locals, Affine{}, worlds);
  Skin skin;
  for (std::size_t n = 0; n < worlds.size(); ++n) {
    skin.joints.push_back(static_cast<int>(n));
    skin.joint_from_bind.push_back(inverse(worlds[n]));
    if (!isFinite(worlds[n]) || !isFinite(skin.joint_from_bind.back())) return;
  }
  SkinnedMesh mesh;
  mesh.influence_start.push_back(0);
  double longest = 0.0;
  const auto boneOf = [&](std::size_t n) {
    return worlds[n].translation - worlds[toSize(skeleton.nodes[n].parent)].translation;
  };
  for (std::size_t n = 0; n < worlds.size(); ++n) {
    if (skeleton.nodes[n].parent >= 0) longest = std::max(longest, lengthOf(boneOf(n)));
  }
  for (std::size_t n = 0; n < worlds.size(); ++n) {
    const int parent = skeleton.nodes[n].parent;
    if (parent < 0 || !(lengthOf(boneOf(n)) > kShortest * longest)) continue;
    addBone(worlds[toSize(parent)].translation, worlds[n].translation, parent, static_cast<int>(n),
            mesh);
  }
  if (mesh.triangles.empty()) return;

  Node node;
  node.name = "Sticks";
  for (const Node& other : skeleton.nodes) {
    node.source_id = std::max(node.source_id, other.source_id + 1);
  }
  node.weights_start = static_cast<int>(skeleton.rest_weights.size());
  mesh.name = skin.name = node.name;
  mesh.node = static_cast<int>(skeleton.size());
  mesh.skin = static_cast<int>(scene.skins.size());
  mesh.material = static_cast<int>(scene.materials.size());
  scene.skeleton.nodes.push_back(std::move(node));
  scene.skins.push_back(std::move(skin));
  scene.materials.push_back(greyMaterial());
  scene.meshes.push_back(std::move(mesh));
}

}  // namespace clipmill
