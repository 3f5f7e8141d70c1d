// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "anim/pose.h"
#include "mesh/make_surface.h"
#include "stages/dynamic_bones/swing_scene.h"

/// Skins for the small scenes of dynamic bones.
namespace clipmill::test {

/// Adds a mesh of which each vertex follows one node, which `nodeOf` gives for its position.
template <class NodeOf>
void addSkinned(Scene& scene, const Surface& surface, NodeOf&& nodeOf) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  Skin skin;
  for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
    skin.joints.push_back(static_cast<int>(i));
    skin.joint_from_bind.push_back(inverse(worlds[i]));
  }
  SkinnedMesh mesh;
  mesh.name = "mesh";
  mesh.node = 0;
  mesh.skin = static_cast<int>(scene.skins.size());
  mesh.positions = surface.positions;
  mesh.triangles = surface.triangles;
  for (const Vec3& position : surface.positions) {
    mesh.influence_start.push_back(mesh.influences.size());
    mesh.influences.push_back({static_cast<std::uint32_t>(nodeOf(position)), 1.0});
  }
  mesh.influence_start.push_back(mesh.influences.size());
  scene.skins.push_back(skin);
  scene.meshes.push_back(mesh);
}

}  // namespace clipmill::test
