// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drive/drive.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "stages/tet_bake/drive/tet_weights.h"
#include "stages/tet_bake/tets/tet_shape.h"
#include "stages/tet_bake/tets/tet_system.h"

namespace clipmill::tet_bake {
namespace {

constexpr double kFixed = std::numeric_limits<double>::infinity();
// A corner that follows one node to more than this moves with it alone.
constexpr double kAlone = 0.999;
// Bones of fewer cells' radius are not carried by a lattice.
constexpr double kThinRadiusInCells = 0.65;
// Beds are springs that leave the tetrahedra something to say, as thin as a bone may be.
constexpr double kFirmestBed = 10.0;

std::span<const Influence> influencesOf(const TetMesh& mesh, std::size_t corner) {
  const std::size_t begin = mesh.influence_begin[corner];
  return std::span(mesh.influences).subspan(begin, mesh.influence_begin[corner + 1] - begin);
}

double largestWeight(std::span<const Influence> influences) {
  double largest = 0.0;
  for (const Influence& influence : influences) largest = std::max(largest, influence.weight);
  return largest;
}

// Length of the shortest way along edges to a corner that several nodes move.
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
    const auto [way, corner] = queue.top();
    queue.pop();
    if (way > distance[corner]) continue;
    for (const std::uint32_t next : graph.of(corner)) {
      const double further = way + glm::length(mesh.positions[next] - mesh.positions[corner]);
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

// Ties what no bone holds to its bed (DriveOptions::bed_stiffness).
void layBed(const std::vector<BakeBone>& bones, double stiffness, TetMesh& mesh) {
  const std::vector<double> volumes_m3 = cornerVolumes(mesh);
  const double edge_m = meanEdge_m(mesh);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const double radius_m = bones[dominantNode(influencesOf(mesh, corner))].radius_m;
    if (mesh.hold[corner] > 0.0 || !(radius_m > 0.0 && edge_m > 0.0)) continue;
    const double hold = stiffness * volumes_m3[corner] / (radius_m * radius_m * edge_m);
    mesh.hold[corner] = std::min(hold, kFirmestBed);
  }
}

void holdCorners(const std::vector<BakeBone>& bones, const CornerGraph& graph,
                 double radius_floor_m, const DriveOptions& options, TetMesh& mesh) {
  const std::vector<double> from_blends_m = distancesFromBlends(mesh, graph);
  mesh.hold.assign(mesh.vertexCount(), 0.0);
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const BakeBone& bone = bones[dominantNode(influencesOf(mesh, corner))];
    const bool is_core =
        bone.distanceTo(mesh.positions[corner]) <= options.core_share * bone.radius_m;
    const bool is_rigid = from_blends_m[corner] > options.rigid_reach * bone.radius_m;
    const bool is_thin = bone.radius_m < radius_floor_m;
    if (is_core || is_rigid || is_thin) mesh.hold[corner] = kFixed;
  }
}

// A bone's motion: its rotation, and the map that it truly is.
struct Carrier {
  Quat rotation;
  Affine map;
};

// A place and how it is turned.
struct Carried {
  Vec3 place;
  Quat turn;
};

Carried blendedDual(const Vec3& place, std::span<const Influence> influences,
                    std::span<const Carrier> carriers) {
  const Quat& pivot = carriers[dominantNode(influences)].rotation;
  Quat real(0.0, 0.0, 0.0, 0.0), dual(0.0, 0.0, 0.0, 0.0);
  for (const Influence& influence : influences) {
    const Carrier& carrier = carriers[influence.joint];
    // q and -q are one rotation: the one on the pivot's side blends the short way round.
    const double sign = glm::dot(pivot, carrier.rotation) < 0.0 ? -1.0 : 1.0;
    const Quat rotation = carrier.rotation * (sign * influence.weight);
    const Vec3 shift = transformPoint(carrier.map, place) - carrier.rotation * place;
    real = real + rotation;
    dual = dual + Quat(0.0, shift.x, shift.y, shift.z) * rotation * 0.5;
  }
  const double square = glm::dot(real, real);
  // The pivot counts for something and none counts against it: real is never 0.
  const Quat turn = real * (1.0 / std::sqrt(square));
  const Quat shift = dual * glm::conjugate(real) * (2.0 / square);
  return {turn * place + Vec3(shift.x, shift.y, shift.z), turn};
}

}  // namespace

std::vector<SurfaceSample> samplesAtPoints(const BakeSurface& surface,
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

void driveTets(const BakeSurface& surface, const std::vector<BakeBone>& bones,
               std::span<const SurfaceSample> samples, double radius_floor_m,
               const DriveOptions& options, TetMesh& mesh) {
  const CornerGraph graph = cornerGraph(mesh);
  mesh.influences.clear();
  mesh.influence_begin.assign(1, 0);
  for (const std::vector<Influence>& weights : cornerWeights(surface, samples, mesh, graph)) {
    mesh.influences.insert(mesh.influences.end(), weights.begin(), weights.end());
    mesh.influence_begin.push_back(mesh.influences.size());
  }
  holdCorners(bones, graph, radius_floor_m, options, mesh);
  if (options.bed_stiffness > 0.0) layBed(bones, options.bed_stiffness, mesh);
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
                               std::span<Vec3> posed, std::span<Quat> turns) {
  std::vector<Carrier> carriers;
  carriers.reserve(world_from_bind.size());
  for (const Affine& map : world_from_bind) {
    carriers.push_back({normalizedOrIdentity(rotationOf(map)), map});
  }
  for (std::size_t corner = 0; corner < mesh.vertexCount(); ++corner) {
    const Carried carried =
        blendedDual(mesh.positions[corner], influencesOf(mesh, corner), carriers);
    posed[corner] = carried.place;
    if (!turns.empty()) turns[corner] = carried.turn;
  }
}

}  // namespace clipmill::tet_bake
