// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "mesh/skinning.h"
#include "scene/scene.h"

namespace clipmill::test {

/// Where the vertices of a mesh of `scene` are, in metres.
inline std::vector<Vec3> posedVertices(const Scene& scene, const SkinnedMesh& mesh,
                                       const Pose& pose) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, worlds);
  const Node& node = scene.skeleton.nodes.at(toSize(mesh.node));
  const Skin* skin = mesh.skin < 0 ? nullptr : &scene.skins.at(toSize(mesh.skin));
  PosedVertices posed;
  poseMesh(mesh, skin, worlds,
           std::span(pose.weights).subspan(toSize(node.weights_start), toSize(node.weights_count)),
           posed);
  return posed.positions;
}

/// The pose at rest, with every node rotated by an angle of its own (by its id in the document).
inline Pose bentPose(const Scene& scene) {
  Pose pose = restPose(scene.skeleton);
  for (std::size_t n = 0; n < pose.locals.size(); ++n) {
    const double angle = 0.3 + 0.2 * scene.skeleton.nodes[n].source_id;
    pose.locals[n].rotation = pose.locals[n].rotation * rotationAbout(Vec3(0, 0, 1), angle);
  }
  return pose;
}

inline void checkSamePositions(const std::vector<Vec3>& a, const std::vector<Vec3>& b,
                               double tolerance_m) {
  REQUIRE(a.size() == b.size());
  for (std::size_t v = 0; v < a.size(); ++v) CHECK(distance(a[v], b[v]) <= tolerance_m);
}

}  // namespace clipmill::test
