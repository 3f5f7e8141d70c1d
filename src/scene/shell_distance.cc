// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/shell_distance.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

const Influence* strongest(const SkinnedMesh& mesh, std::size_t vertex) {
  const Influence* best = nullptr;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    if (!best || mesh.influences[i].weight > best->weight) best = &mesh.influences[i];
  }
  return best;
}

void reachVertices(const Scene& scene, const SkinnedMesh& mesh, std::vector<double>& reach) {
  const bool skinned = mesh.skin >= 0 && !mesh.influence_start.empty();
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    if (!skinned) {
      double& own = reach[toSize(mesh.node)];
      own = std::max(own, lengthOf(mesh.positions[v]));
      continue;
    }
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    if (const Influence* influence = strongest(mesh, v)) {
      double& own = reach[toSize(skin.joints[influence->joint])];
      own = std::max(
          own, lengthOf(transformPoint(skin.joint_from_bind[influence->joint], mesh.positions[v])));
    }
  }
}

}  // namespace

std::vector<double> shellDistances(const Scene& scene) {
  std::vector<double> reach(scene.skeleton.size(), 0.0);
  for (const SkinnedMesh& mesh : scene.meshes) reachVertices(scene, mesh, reach);
  const auto children = childrenOf(scene.skeleton);
  for (std::size_t i = 0; i < reach.size(); ++i) {
    if (reach[i] == 0.0 && children[i].empty()) {
      reach[i] = lengthOf(scene.skeleton.nodes[i].rest.translation);
    }
  }
  return reach;
}

}  // namespace clipmill
