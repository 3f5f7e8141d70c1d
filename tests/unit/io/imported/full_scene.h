// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "core/file.h"
#include "io/imported/imported.h"

namespace clipmill::test {

/// A small scene in which nothing is at its default: two joints, a skinned triangle with a morph
/// target, a material with images, a clip with all kinds of tracks.
inline io::imported::ImportedScene fullScene() {
  io::imported::ImportedScene imported;
  imported.format = "Test";
  imported.files = {"a.png", "b.txt"};
  Scene& scene = imported.scene;
  scene.skeleton.nodes.resize(3);
  scene.skeleton.nodes[0].name = "Root";
  scene.skeleton.nodes[1].name = "Tip";
  scene.skeleton.nodes[1].parent = 0;
  scene.skeleton.nodes[1].source_id = 7;
  scene.skeleton.nodes[1].rest = {Vec3(0, 2, 0), Quat(0.5, 0.5, 0.5, 0.5), Vec3(1, 2, 3)};
  scene.skeleton.nodes[2].name = "Body";
  scene.skeleton.nodes[2].source_id = 9;
  scene.skeleton.nodes[2].weights_count = 1;
  scene.skeleton.rest_weights = {0.25};
  scene.skins = {{"Skin", {0, 1}, {Affine{}, Affine{Mat3(1.0), Vec3(0, -2, 0)}}}};
  Material material;
  material.name = "Cloth";
  material.base_color = Vec4(0.5, 0.25, 0.125, 0.75);
  material.alpha_mode = AlphaMode::kMask;
  material.double_sided = true;
  material.normal_image = 0;
  scene.materials = {material};
  scene.images = {{"Weave", "image/png", Bytes(5, std::byte{42}), "weave.png"}};
  SkinnedMesh mesh;
  mesh.name = "Body";
  mesh.node = 2;
  mesh.skin = 0;
  mesh.material = 0;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, -3)};
  mesh.normals.assign(3, Vec3(0, 0, 1));
  mesh.uvs.assign(3, Vec2(0.5, 0.25));
  mesh.colors.assign(3, Vec4(1, 0.5, 0.25, 1));
  mesh.tangents.assign(3, Vec4(1, 0, 0, -1));
  mesh.more_uvs.assign(2, std::vector<Vec2>(3, Vec2(0.75, 0.125)));
  mesh.more_colors.assign(1, std::vector<Vec4>(3, Vec4(0, 0.5, 0, 1)));
  mesh.triangles = {0, 1, 2};
  mesh.influence_start = {0, 1, 3, 4};
  mesh.influences = {{0, 1.0}, {0, 0.25}, {1, 0.75}, {1, 1.0}};
  mesh.morphs = {{"Smile", {Vec3(0), Vec3(0), Vec3(0, 0, 1)}, {}}};
  scene.meshes = {mesh};
  scene.metric_from_file.linear *= 0.01;
  scene.warnings.add("odd", "something is odd", "there", 3);
  const auto times = std::make_shared<std::vector<double>>(std::vector<double>{0.5, 1.0});
  const auto others = std::make_shared<std::vector<double>>(std::vector<double>{0.25});
  io::imported::ImportedClip clip;
  clip.keys.name = "Wave";
  clip.keys.tracks = {
      {0, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {0, 1, 2, 3, 4, 5}},
      {1, TrackPath::kRotation, Interpolation::kStep, 4, times, {0, 0, 0, 1, 1, 0, 0, 0}},
      {2, TrackPath::kWeights, Interpolation::kLinear, 1, others, {0.5}}};
  clip.fps = 12.5;
  io::imported::setRangeFromKeys(clip);
  imported.clips = {clip};
  return imported;
}

}  // namespace clipmill::test
