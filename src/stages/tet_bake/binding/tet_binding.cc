// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/binding/tet_binding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "core/smooth_step.h"
#include "stages/tet_bake/binding/tet_weights.h"
#include "stages/tet_bake/tets/tet_shape.h"
#include "stages/tet_bake/tets/tet_system.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kFixed = std::numeric_limits<double>::infinity();
// A corner that follows one node to more than this moves with it alone.
constexpr double kAlone = 0.999;
// Bones with a smaller radius, in cells, are too thin for a lattice.
constexpr double kThinRadiusInCells = 0.65;
// A core has this radius in edges where the share of the bone's radius would be less and leave no
// corners in it, but at most this share.
constexpr double kCoreInEdges = 0.4, kMaxCoreShare = 0.5;
// Radii of the bone up to which anchors have a share.
constexpr double kAnchorReach = 1.5;
// Bones shorter than so many radii are no anchors, longer ones are in full: the joints of a stocky
// limb bend all of it.
constexpr double kStocky = 2.5, kSlender = 4.0;
// A bone with a smaller weight is no anchor.
constexpr double kLeastAnchorWeight = 0.05;
// Limit of the foundation, so that the elasticity of the tetrahedra matters at thin bones too.
constexpr double kMaxFoundation = 10.0;

std::span<const Influence> influencesOf(const TetMesh& mesh, std::size_t corner) {
  const std::size_t start = mesh.influence_start[corner];
  return std::span(mesh.influences).subspan(start, mesh.influence_start[corner + 1] - start);
}

double largestWeight(std::span<const Influence> influences) {
  double largest = 0.0;
  for (const Influence& influence : influences) largest = std::max(largest, influence.weight);
  return largest;
}

// Length of the shortest path along edges to a corner that several nodes move.
std::vector<double> distancesFromBlends(const TetMesh& mesh, const CornerGraph& graph) {
  using Entry = std::pair<double, std::uint32_t>;
  std::vector<double> distance(mesh.vertexCount(), kFixed);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::uint32_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    if (largestWeight(influencesOf(mesh, corner)) > kAlone) continue;
    distance[corner] = 0.0;
    queue.emplace(0.0, corner);
  }
  while (!queue.empty()) {
    const auto [path, corner] = queue.top();
    queue.pop();
    if (path > distance[corner]) continue;
    for (const std::uint32_t next : graph.of(corner)) {
      const double further = path + glm::length(mesh.positions[next] - mesh.positions[corner]);
      if (!(further < distance[next])) continue;
      distance[next] = further;
      queue.emplace(further, next);
    }
  }
  return distance;
}

// A quarter of the volume of the tetrahedra at each corner, cubic metres.
std::vector<double> cornerVolumes(const TetMesh& mesh) {
  std::vector<double> volumes(mesh.vertexCount(), 0.0);
  for (const Tet& tet : mesh.tets) {
    const double quarter = 0.25 * std::abs(signedVolume(cornersOf(mesh.positions, tet)));
    for (const std::uint32_t corner : tet) volumes[corner] += quarter;
  }
  return volumes;
}

// Adds the elastic foundation of corners that no bone holds (BindOptions::foundation_stiffness).
void addFoundation(const std::vector<BakeBone>& bones, double stiffness, TetMesh& mesh) {
  const std::vector<double> volumes_m3 = cornerVolumes(mesh);
  const double edge_m = meanEdge_m(mesh);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const double radius_m = bones[dominantNode(influencesOf(mesh, corner))].radius_m;
    if (mesh.hold[corner] > 0.0 || !(radius_m > 0.0 && edge_m > 0.0)) continue;
    const double hold = stiffness * volumes_m3[corner] / (radius_m * radius_m * edge_m);
    mesh.hold[corner] = std::min(hold, kMaxFoundation);
  }
}

double coreRadius_m(const BakeBone& bone, double edge_m, const BindOptions& options) {
  return std::max(options.core_share * bone.radius_m,
                  std::min(kCoreInEdges * edge_m, kMaxCoreShare * bone.radius_m));
}

double slenderness(const BakeBone& bone) {
  double length_m = 0.0;
  for (const auto& [from, to] : bone.segments) {
    length_m = std::max(length_m, glm::length(to - from));
  }
  return smoothStep(kStocky * bone.radius_m, kSlender * bone.radius_m, length_m);
}

BoneAnchor anchorOf(const Vec3& position, std::span<const Influence> influences,
                    const std::vector<BakeBone>& bones, double edge_m, const BindOptions& options) {
  BoneAnchor anchor;
  double least_m = kFixed;
  for (const Influence& influence : influences) {
    if (influence.weight < kLeastAnchorWeight) continue;
    const auto point = bones[influence.joint].nearestPoint(position);
    if (!point || !(glm::length(position - *point) < least_m)) continue;
    least_m = glm::length(position - *point);
    anchor = {influence.joint, *point, 0.0};
  }
  const BakeBone& bone = bones[anchor.joint];
  if (!(least_m < kAnchorReach * bone.radius_m)) return anchor;
  const double core_m = coreRadius_m(bone, edge_m, options);
  anchor.share = slenderness(bone) * smoothStep(kAnchorReach * bone.radius_m, core_m, least_m);
  return anchor;
}

void anchorCorners(const std::vector<BakeBone>& bones, const BindOptions& options, TetMesh& mesh) {
  const double edge_m = meanEdge_m(mesh);
  mesh.anchors.clear();
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    mesh.anchors.push_back(
        anchorOf(mesh.positions[corner], influencesOf(mesh, corner), bones, edge_m, options));
  }
}

void holdCorners(const std::vector<BakeBone>& bones, const CornerGraph& graph,
                 double radius_floor_m, const BindOptions& options, TetMesh& mesh) {
  const std::vector<double> from_blends_m = distancesFromBlends(mesh, graph);
  const double edge_m = meanEdge_m(mesh);
  mesh.hold.assign(mesh.vertexCount(), 0.0);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const BakeBone& bone = bones[dominantNode(influencesOf(mesh, corner))];
    const BoneAnchor& anchor = mesh.anchors[corner];
    const double from_anchor_m = glm::length(mesh.positions[corner] - anchor.point);
    const bool is_core =
        bone.distanceTo(mesh.positions[corner]) <= options.core_share * bone.radius_m ||
        (anchor.share > 0.0 && from_anchor_m <= coreRadius_m(bones[anchor.joint], edge_m, options));
    const bool is_rigid = from_blends_m[corner] > options.rigid_reach * bone.radius_m;
    const bool is_thin = bone.radius_m < radius_floor_m;
    if (is_core || is_rigid || is_thin) mesh.hold[corner] = kFixed;
  }
}

// A bone's motion: its rotation, and its whole affine map.
struct BoneMotion {
  Quat rotation;
  Affine map;
};

// A position and a rotation.
struct Carried {
  Vec3 position;
  Quat rotation;
};

Carried blendedDual(const Vec3& position, std::span<const Influence> influences,
                    std::span<const BoneMotion> motions) {
  const Quat& pivot = motions[dominantNode(influences)].rotation;
  Quat real(0.0, 0.0, 0.0, 0.0), dual(0.0, 0.0, 0.0, 0.0);
  for (const Influence& influence : influences) {
    const BoneMotion& motion = motions[influence.joint];
    // q and -q are one rotation: the one on the pivot's side blends along the shorter arc.
    const double sign = glm::dot(pivot, motion.rotation) < 0.0 ? -1.0 : 1.0;
    const Quat rotation = motion.rotation * (sign * influence.weight);
    const Vec3 shift = transformPoint(motion.map, position) - motion.rotation * position;
    real = real + rotation;
    dual = dual + Quat(0.0, shift.x, shift.y, shift.z) * rotation * 0.5;
  }
  const double square = glm::dot(real, real);
  // The pivot counts for something and none counts against it: real is never 0.
  const Quat rotation = real * (1.0 / std::sqrt(square));
  const Quat shift = dual * glm::conjugate(real) * (2.0 / square);
  return {rotation * position + Vec3(shift.x, shift.y, shift.z), rotation};
}

std::vector<BoneMotion> boneMotions(std::span<const Affine> world_from_bind) {
  std::vector<BoneMotion> motions;
  motions.reserve(world_from_bind.size());
  for (const Affine& map : world_from_bind) {
    motions.push_back({normalizedOrIdentity(rotationOf(map)), map});
  }
  return motions;
}

}  // namespace

std::vector<SurfaceSample> samplesAtPoints(const SkinSurface& surface,
                                           std::span<const Embedding> embeddings) {
  const std::vector<double> areas = pointAreas(surface);
  std::vector<SurfaceSample> samples;
  for (std::uint32_t p = 0; p < surface.pointCount(); ++p) {
    if (!(surface.share[p] > 0.0)) continue;
    SurfaceSample sample;
    sample.tet = embeddings[p].tet;
    sample.weights = embeddings[p].weights;
    sample.points = {p, p, p};
    sample.point_weights = {1.0, 0.0, 0.0};
    sample.area_m2 = areas[p];
    samples.push_back(sample);
  }
  return samples;
}

double thinBoneRadius_m(double cell_m) { return kThinRadiusInCells * cell_m; }

void bindTets(const SkinSurface& surface, const std::vector<BakeBone>& bones,
              std::span<const SurfaceSample> samples, double radius_floor_m,
              const BindOptions& options, TetMesh& mesh) {
  const CornerGraph graph = cornerGraph(mesh);
  mesh.influences.clear();
  mesh.influence_start.assign(1, 0);
  for (const std::vector<Influence>& weights : cornerWeights(surface, samples, mesh, graph)) {
    mesh.influences.insert(mesh.influences.end(), weights.begin(), weights.end());
    mesh.influence_start.push_back(mesh.influences.size());
  }
  anchorCorners(bones, options, mesh);
  holdCorners(bones, graph, radius_floor_m, options, mesh);
  if (options.foundation_stiffness > 0.0) addFoundation(bones, options.foundation_stiffness, mesh);
}

void skinTets(const TetMesh& mesh, std::span<const Affine> world_from_bind, std::span<Vec3> posed) {
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    Vec3 sum(0.0);
    for (const Influence& influence : influencesOf(mesh, corner)) {
      sum += transformPoint(world_from_bind[influence.joint], mesh.positions[corner]) *
             influence.weight;
    }
    posed[corner] = sum;
  }
}

void skinTetsByDualQuaternions(const TetMesh& mesh, std::span<const Affine> world_from_bind,
                               std::span<Vec3> posed, std::span<Quat> rotations) {
  const std::vector<BoneMotion> motions = boneMotions(world_from_bind);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const Carried carried =
        blendedDual(mesh.positions[corner], influencesOf(mesh, corner), motions);
    posed[corner] = carried.position;
    if (!mesh.anchors.empty() && mesh.anchors[corner].share > 0.0) {
      const BoneAnchor& anchor = mesh.anchors[corner];
      const Vec3 off_bone = blendedDual(anchor.point, influencesOf(mesh, corner), motions).position;
      const Vec3 on_bone = transformPoint(motions[anchor.joint].map, anchor.point);
      posed[corner] += anchor.share * (on_bone - off_bone);
    }
    if (!rotations.empty()) rotations[corner] = carried.rotation;
  }
}

void skinSurfaceByDualQuaternions(const SkinSurface& surface,
                                  std::span<const Affine> world_from_bind, std::span<Vec3> posed) {
  const std::vector<BoneMotion> motions = boneMotions(world_from_bind);
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    posed[p] = blendedDual(surface.positions[p], surface.influencesOf(p), motions).position;
  }
}

}  // namespace clipmill::stages::tet_bake
