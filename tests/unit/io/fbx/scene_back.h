// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "io/fbx/read.h"
#include "io/fbx/write.h"
#include "mesh/skinning.h"

namespace clipmill::test {

/// A written file, read again.
struct SceneBack {
  Bytes bytes;
  Warnings losses;
  std::shared_ptr<const io::fbx::Document> document;
  Scene scene;
};

inline SceneBack writeAndRead(const Scene& scene, const std::vector<KeyframeClip>& clips,
                              const io::fbx::FbxWriteOptions& options = {}) {
  SceneBack back;
  auto bytes = io::fbx::writeFbx(scene, clips, options, back.losses);
  CHECK_OK(bytes);
  back.bytes = *bytes;
  auto tree = io::fbx::parseTree(std::move(*bytes), {});
  CHECK_OK(tree);
  auto document = io::fbx::readDocument(*tree);
  CHECK_OK(document);
  back.document = *document;
  auto read = io::fbx::readScene(*back.document, true, {});
  CHECK_OK(read);
  back.scene = std::move(read->scene);
  return back;
}

/// All nodes in metres, y up, in the pose of `source` at a time (at rest without one).
inline Pose poseAt(const Skeleton& skeleton, const PoseSource* source, double time_s) {
  Pose pose = restPose(skeleton);
  if (source) source->cursor()->sample(time_s, pose.view());
  return pose;
}

inline std::vector<Affine> worldsOf(const Scene& scene, const Pose& pose) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, worlds);
  return worlds;
}

/// The farthest that a node, or a point 1 metre from it along one of its axes, is from where the
/// other scene has it. Nodes correspond by their index in the skeleton.
inline double poseDistance(const Scene& a, const Pose& pose_a, const Scene& b, const Pose& pose_b) {
  const std::vector<Affine> worlds_a = worldsOf(a, pose_a), worlds_b = worldsOf(b, pose_b);
  // One metre is not one unit.
  const double unit_a = 1.0 / decompose(a.metric_from_file).scale.y;
  const double unit_b = 1.0 / decompose(b.metric_from_file).scale.y;
  double farthest = 0.0;
  for (std::size_t n = 0; n < worlds_a.size(); ++n) {
    farthest = std::max(farthest, distance(worlds_a[n].translation, worlds_b[n].translation));
    for (int axis = 0; axis < 3; ++axis) {
      farthest = std::max(
          farthest, distance(worlds_a[n].linear[axis] * unit_a, worlds_b[n].linear[axis] * unit_b));
    }
  }
  return farthest;
}

/// Posed vertices of all meshes of a scene, node after node, in metres.
inline std::vector<Vec3> posedVertices(const Scene& scene, const Pose& pose) {
  const std::vector<Affine> worlds = worldsOf(scene, pose);
  std::vector<Vec3> vertices;
  for (int n = 0; n < static_cast<int>(scene.skeleton.size()); ++n) {
    for (const SkinnedMesh& mesh : scene.meshes) {
      if (mesh.node != n) continue;
      const Node& node = scene.skeleton.nodes[toSize(n)];
      const std::span<const double> weights =
          std::span(pose.weights).subspan(toSize(node.weights_start), toSize(node.weights_count));
      const Skin* skin = mesh.skin < 0 ? nullptr : &scene.skins[toSize(mesh.skin)];
      PosedVertices posed;
      poseMesh(mesh, skin, worlds, weights, posed);
      vertices.insert(vertices.end(), posed.positions.begin(), posed.positions.end());
    }
  }
  return vertices;
}

inline double vertexDistance(const Scene& a, const Pose& pose_a, const Scene& b,
                             const Pose& pose_b) {
  const std::vector<Vec3> vertices_a = posedVertices(a, pose_a);
  const std::vector<Vec3> vertices_b = posedVertices(b, pose_b);
  REQUIRE(vertices_a.size() == vertices_b.size());
  double farthest = 0.0;
  for (std::size_t v = 0; v < vertices_a.size(); ++v) {
    farthest = std::max(farthest, distance(vertices_a[v], vertices_b[v]));
  }
  return farthest;
}

}  // namespace clipmill::test
