// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/add_twist_joints.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "stages/tet_bake/helper_joints.h"

namespace clipmill::stages::tet_bake {
namespace {

// Corners may have any number of influences.
constexpr std::size_t kMaxOfCorner = std::numeric_limits<std::size_t>::max();

bool hasTooMany(const SkinSurface& surface, const SurfacePart& part) {
  return std::any_of(
      part.point_of_vertex.begin(), part.point_of_vertex.end(), [&](std::uint32_t point) {
        return point != kNoPoint && surface.influencesOf(point).size() > kMaxInfluences;
      });
}

// One per point: 1 for those whose weights stay as they are.
std::vector<char> pointsToKeep(const Scene& scene, const SkinSurface& surface) {
  std::vector<char> kept = keptPoints(scene, surface);
  std::set<int> nodes;
  for (const SurfacePart& part : surface.parts) {
    if (hasTooMany(surface, part)) nodes.insert(scene.meshes[part.mesh].node);
  }
  for (const SurfacePart& part : surface.parts) {
    if (nodes.count(scene.meshes[part.mesh].node) == 0) continue;
    for (const std::uint32_t point : part.point_of_vertex) {
      if (point != kNoPoint) kept[point] = 1;
    }
  }
  return kept;
}

bool isTwisted(std::span<const Influence> influences, std::span<const TwistedJoint> twisted) {
  return std::any_of(twisted.begin(), twisted.end(), [&](const TwistedJoint& joint) {
    return weightOf(influences, joint.above) > 0.0 && weightOf(influences, joint.joint) > 0.0;
  });
}

void reportKept(const SkinSurface& surface, std::span<const TwistedJoint> twisted,
                const std::vector<char>& kept, Warnings& warnings) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < kept.size(); ++p) {
    if (kept[p] && isTwisted(surface.influencesOf(p), twisted)) ++count;
  }
  if (count == 0) return;
  warnings.add(
      "weights_kept",
      "a vertex keeps its weights and follows no twist joints, because its node has a mesh "
      "without a skin or with more than four influences per vertex, or its skin lists a "
      "joint twice",
      "skinned meshes", count);
}

void carryCorners(std::span<const TwistedJoint> twisted, std::size_t node_count, TetMesh& mesh) {
  std::vector<Influence> influences;
  std::vector<std::size_t> start = {0};
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const std::size_t first = mesh.influence_start[corner];
    const auto own =
        std::span(mesh.influences).subspan(first, mesh.influence_start[corner + 1] - first);
    const auto split = twistedInfluences(own, twisted, node_count, kMaxOfCorner);
    influences.insert(influences.end(), split.begin(), split.end());
    start.push_back(influences.size());
  }
  mesh.influences = std::move(influences);
  mesh.influence_start = std::move(start);
}

}  // namespace

void addTwistJoints(const Scene& scene, std::span<const Motion> motions, BakeRig& rig,
                    Warnings& warnings) {
  const std::vector<TwistedJoint> twisted =
      findTwistedJoints(scene, rig.surface, rig.bones, motions, warnings);
  if (twisted.empty()) return;
  std::vector<char> kept = pointsToKeep(scene, rig.surface);
  reportKept(rig.surface, twisted, kept, warnings);
  for (std::size_t p = 0; p < kept.size(); ++p) {
    if (rig.isLeftOut(p)) kept[p] = 1;
  }
  rig.twist = makeTwistJoints(rig.surface, twisted, kept);
  if (!rig.twist.empty()) carryCorners(twisted, rig.bones.size(), rig.lattice.mesh);
}

}  // namespace clipmill::stages::tet_bake
