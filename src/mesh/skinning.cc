// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/skinning.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"

namespace clipmill {
namespace {

void addMorphs(const SkinnedMesh& mesh, std::span<const double> weights, PosedVertices& posed) {
  const std::size_t count = std::min(weights.size(), mesh.morphs.size());
  for (std::size_t m = 0; m < count; ++m) {
    const double weight = weights[m];
    if (weight == 0.0) continue;
    const MorphTarget& morph = mesh.morphs[m];
    for (std::size_t v = 0; v < morph.position_deltas.size(); ++v) {
      posed.positions[v] += morph.position_deltas[v] * weight;
    }
    if (posed.normals.empty()) continue;
    for (std::size_t v = 0; v < morph.normal_deltas.size(); ++v) {
      posed.normals[v] += morph.normal_deltas[v] * weight;
    }
  }
}

Vec3 normalized(const Vec3& v) {
  const double length = std::sqrt(glm::dot(v, v));
  return length > 0.0 ? v / length : v;
}

// Cofactor matrix: the inverse transpose up to a factor, defined for singular maps too.
Mat3 normalMap(const Mat3& m) {
  const double sign = glm::determinant(m) < 0.0 ? -1.0 : 1.0;
  return Mat3(sign * glm::cross(m[1], m[2]), sign * glm::cross(m[2], m[0]),
              sign * glm::cross(m[0], m[1]));
}

void applyMap(const Affine& map, std::size_t vertex, PosedVertices& posed) {
  posed.positions[vertex] = transformPoint(map, posed.positions[vertex]);
  if (!posed.normals.empty()) {
    posed.normals[vertex] = normalized(normalMap(map.linear) * posed.normals[vertex]);
  }
}

Affine blended(std::span<const Influence> influences, std::span<const Affine> world_from_bind) {
  Affine sum{Mat3(0.0), Vec3(0.0)};
  for (const Influence& influence : influences) {
    const Affine& map = world_from_bind[influence.joint];
    sum.linear += map.linear * influence.weight;
    sum.translation += map.translation * influence.weight;
  }
  return sum;
}

}  // namespace

void poseMesh(const SkinnedMesh& mesh, const Skin* skin, std::span<const Affine> world_from_node,
              std::span<const double> morph_weights, PosedVertices& posed) {
  posed.positions = mesh.positions;
  posed.normals = mesh.normals;
  addMorphs(mesh, morph_weights, posed);
  if (!skin || mesh.influence_start.empty()) {
    const Affine& world = world_from_node[toSize(mesh.node)];
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) applyMap(world, v, posed);
    return;
  }
  std::vector<Affine> world_from_bind;
  world_from_bind.reserve(skin->joints.size());
  for (std::size_t j = 0; j < skin->joints.size(); ++j) {
    world_from_bind.push_back(world_from_node[toSize(skin->joints[j])] * skin->joint_from_bind[j]);
  }
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    const std::size_t start = mesh.influence_start[v], end = mesh.influence_start[v + 1];
    applyMap(blended(std::span(mesh.influences).subspan(start, end - start), world_from_bind), v,
             posed);
  }
}

}  // namespace clipmill
