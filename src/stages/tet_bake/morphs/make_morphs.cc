// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/make_morphs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>

#include "core/integer_rounding.h"
#include "core/parallel.h"
#include "core/to_size.h"
#include "scene/bind_pose.h"
#include "scene/integer_deltas.h"
#include "stages/tet_bake/tets/embedding.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::size_t kVectorBytes = 12;
constexpr std::size_t kShortBytes = 6, kShortStride = 8;
constexpr std::size_t kIndexBytes = 2;

// One fitted morph over all points: displacements, and changes of the surface's normals.
struct SpreadMorph {
  std::vector<Vec3> deltas, normals;
};

class MorphMaker {
 public:
  MorphMaker(const Scene& scene, const SkinSurface& surface, bool with_normals)
      : scene_(scene),
        surface_(surface),
        with_normals_(with_normals),
        world_from_mesh_(findBindPose(scene).world_from_mesh),
        rest_normals_(surface.pointCount()) {
    for (const SurfacePart& part : surface.parts) {
      part_of_mesh_[part.mesh] = &part;
    }
    for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
      meshes_of_node_[scene.meshes[m].node].push_back(m);
    }
    if (with_normals) pointNormals(surface.positions, surface.triangles, rest_normals_);
  }

  // One per node of which it moves a vertex.
  std::vector<AddedMorph> make(const FittedMorph& fitted, std::span<const Vec3> normals,
                               std::size_t number) const {
    const SpreadMorph spread = spreadOf(fitted, normals);
    std::vector<AddedMorph> result;
    for (const auto& [node, meshes] : meshes_of_node_) {
      AddedMorph morph;
      morph.node = node;
      bool moves = false;
      for (const std::size_t m : meshes) moves = addMesh(m, spread, morph) || moves;
      if (!moves) continue;
      morph.name = "bake_" + regionName(fitted.node) + "_" + std::to_string(number);
      result.push_back(std::move(morph));
    }
    return result;
  }

 private:
  std::string regionName(int node) const {
    return node < 0 ? "body" : scene_.skeleton.nodes[toSize(node)].name;
  }

  SpreadMorph spreadOf(const FittedMorph& fitted, std::span<const Vec3> normals) const {
    SpreadMorph spread;
    spread.deltas.assign(surface_.pointCount(), Vec3(0.0));
    if (with_normals_) spread.normals = spread.deltas;
    for (std::size_t i = 0; i < fitted.points.size(); ++i) {
      spread.deltas[fitted.points[i]] = fitted.deltas[i];
      if (with_normals_) spread.normals[fitted.points[i]] = normals[i];
    }
    return spread;
  }

  // The change of a normal of the file, which leans from that of the surface at hard edges.
  Vec3 normalDelta(std::uint32_t point, const SpreadMorph& spread, const Vec3& normal) const {
    const Vec3& rest = rest_normals_[point];
    if (rest == Vec3(0.0)) return Vec3(0.0);
    return rotationBetween(rest, normal) * spread.normals[point];
  }

  // Puts the part of one mesh behind those of the node's meshes before it. True if it moves.
  bool addMesh(std::size_t index, const SpreadMorph& spread, AddedMorph& morph) const {
    const SkinnedMesh& mesh = scene_.meshes[index];
    const std::size_t start = morph.position_deltas.size();
    morph.position_deltas.resize(start + mesh.vertexCount(), Vec3(0.0));
    if (with_normals_) morph.normal_deltas.resize(start + mesh.vertexCount(), Vec3(0.0));
    const auto part = part_of_mesh_.find(index);
    if (part == part_of_mesh_.end() || mesh.skin < 0) return false;
    const Mat3& linear = world_from_mesh_[toSize(mesh.skin)].linear;
    const Mat3 mesh_from_world = glm::inverse(linear);
    const Quat rotation = rotationOf({linear, Vec3(0.0)});
    bool moves = false;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      const std::uint32_t point = part->second->point_of_vertex[v];
      if (point == kNoPoint || spread.deltas[point] == Vec3(0.0)) continue;
      moves = true;
      morph.position_deltas[start + v] = mesh_from_world * spread.deltas[point];
      if (!with_normals_ || mesh.normals.empty()) continue;
      morph.normal_deltas[start + v] =
          glm::conjugate(rotation) * normalDelta(point, spread, rotation * mesh.normals[v]);
    }
    return moves;
  }

  const Scene& scene_;
  const SkinSurface& surface_;
  bool with_normals_;
  std::vector<Affine> world_from_mesh_;
  std::map<std::size_t, const SurfacePart*> part_of_mesh_;
  std::map<int, std::vector<std::size_t>> meshes_of_node_;
  std::vector<Vec3> rest_normals_;
};

// Sparse or not, whichever is smaller; a vertex in a row of all of them takes a multiple of 4
// bytes.
std::size_t bytesOf(const std::vector<Vec3>& deltas, bool as_int16, std::size_t index_bytes) {
  const auto still = toSize(std::count(deltas.begin(), deltas.end(), Vec3(0.0)));
  const std::size_t moving = deltas.size() - still;
  const std::size_t sparse = as_int16 ? kShortBytes : kVectorBytes;
  const std::size_t dense = as_int16 ? kShortStride : kVectorBytes;
  return std::min(moving * (sparse + index_bytes), deltas.size() * dense);
}

// True where the normals are of the same vertices, whose indices then are stored once.
bool shareIndices(const AddedMorph& morph) {
  return std::equal(morph.position_deltas.begin(), morph.position_deltas.end(),
                    morph.normal_deltas.begin(), morph.normal_deltas.end(),
                    [](const Vec3& position, const Vec3& normal) {
                      return (position == Vec3(0.0)) == (normal == Vec3(0.0));
                    });
}

}  // namespace

NodeMorphs makeNodeMorphs(const Scene& scene, const SkinSurface& surface,
                          std::span<const FittedMorph> fitted,
                          std::span<const std::vector<Vec3>> normals, int threads) {
  const MorphMaker maker(scene, surface, !normals.empty());
  std::map<int, std::size_t> counts;
  std::vector<std::size_t> numbers;
  for (const FittedMorph& morph : fitted) numbers.push_back(++counts[morph.node]);
  std::vector<std::vector<AddedMorph>> made(fitted.size());
  parallelFor(fitted.size(), 1, threads, [&](std::size_t i, std::size_t) {
    const std::span<const Vec3> own = normals.empty() ? std::span<const Vec3>() : normals[i];
    made[i] = maker.make(fitted[i], own, numbers[i]);
  });
  NodeMorphs result;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    std::move(made[i].begin(), made[i].end(), std::back_inserter(result.morphs));
    result.row.resize(result.morphs.size(), i);
    result.weights.push_back(fitted[i].weights);
  }
  return result;
}

std::size_t storeAsInt16(std::span<AddedMorph> morphs, bool bounded) {
  std::size_t left = 0;
  for (AddedMorph& morph : morphs) {
    morph.as_int16 = !(bounded && longestComponent(morph.position_deltas) > 1.0);
    left += morph.as_int16 ? 0 : 1;
  }
  return left;
}

std::size_t storeScaledAsInt16(NodeMorphs& morphs, std::size_t scaled_rows, bool bounded) {
  const std::size_t left = storeAsInt16(morphs.morphs, bounded);
  std::vector<double> scales(morphs.weights.size(), 0.0);
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    double& scale = scales[morphs.row[m]];
    if (morphs.row[m] < scaled_rows) scale = std::max(scale, integerScale(morphs.morphs[m]));
  }
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    AddedMorph& morph = morphs.morphs[m];
    morph.has_unit_scale = true;
    const double scale = scales[morphs.row[m]];
    if (!(scale > 0.0)) continue;
    for (Vec3& delta : morph.position_deltas) delta /= scale;
    for (Vec3& delta : morph.normal_deltas) delta /= scale;
  }
  for (std::size_t r = 0; r < scales.size(); ++r) {
    if (!(scales[r] > 0.0)) continue;
    for (double& weight : morphs.weights[r]) weight *= scales[r];
  }
  return left;
}

void roundWeightsToBytes(NodeMorphs& morphs) {
  for (std::vector<double>& weights : morphs.weights) {
    for (double& weight : weights) weight = roundedToByte(weight);
  }
}

std::size_t bytesPerVertex(bool as_int16, bool with_normals) {
  return kIndexBytes + (as_int16 ? kShortBytes : kVectorBytes) * (with_normals ? 2 : 1);
}

std::size_t bytesOf(std::span<const AddedMorph> morphs) {
  std::size_t bytes = 0;
  for (const AddedMorph& morph : morphs) {
    bytes += bytesOf(morph.position_deltas, morph.as_int16, kIndexBytes) +
             bytesOf(morph.normal_deltas, morph.as_int16, shareIndices(morph) ? 0 : kIndexBytes);
  }
  return bytes;
}

}  // namespace clipmill::stages::tet_bake
