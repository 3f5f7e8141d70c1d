// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/to_size.h"
#include "mesh/skinned_mesh.h"
#include "scene/scene.h"

namespace clipmill::stages::dynamic_bones {

/// The joints that move the vertices of a mesh.
struct MeshJoints {
  const Scene& scene;
  const SkinnedMesh& mesh;

  /// Calls visit(node, weight) for each joint of a vertex; a mesh without skin follows its node.
  template <class Visit>
  void each(std::size_t vertex, Visit&& visit) const {
    if (mesh.skin < 0 || mesh.influence_start.empty()) return visit(mesh.node, 1.0);
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
      visit(skin.joints[mesh.influences[i].joint], mesh.influences[i].weight);
    }
  }
  /// The weight of the nodes that swing in a vertex.
  double swinging(std::size_t vertex, const std::vector<bool>& swings) const {
    double sum = 0.0;
    each(vertex, [&](int node, double weight) { sum += swings[toSize(node)] ? weight : 0.0; });
    return sum;
  }
};

}  // namespace clipmill::stages::dynamic_bones
