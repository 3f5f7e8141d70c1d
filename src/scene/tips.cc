// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/tips.h"

#include <algorithm>
#include <cmath>

namespace clipmill {
namespace {

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

const Influence* strongest(const SkinnedMesh& mesh, std::size_t vertex) {
  const Influence* best = nullptr;
  for (std::size_t i = mesh.influence_begin[vertex]; i < mesh.influence_begin[vertex + 1]; ++i) {
    if (!best || mesh.influences[i].weight > best->weight) best = &mesh.influences[i];
  }
  return best;
}

void reachVertices(const Scene& scene, const SkinnedMesh& mesh, std::vector<double>& reach) {
  const bool skinned = mesh.skin >= 0 && !mesh.influence_begin.empty();
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    if (!skinned) {
      double& own = reach[static_cast<std::size_t>(mesh.node)];
      own = std::max(own, lengthOf(mesh.positions[v]));
      continue;
    }
    const Skin& skin = scene.skins[static_cast<std::size_t>(mesh.skin)];
    if (const Influence* influence = strongest(mesh, v)) {
      double& own = reach[static_cast<std::size_t>(skin.joints[influence->joint])];
      own = std::max(
          own, lengthOf(transformPoint(skin.joint_from_bind[influence->joint], mesh.positions[v])));
    }
  }
}

}  // namespace

std::vector<double> tipReach(const Scene& scene) {
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
