// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/make_morphs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "stages/tet_bake/surface/bind_pose.h"
#include "stages/tet_bake/tets/embedding.h"

namespace clipmill::tet_bake {
namespace {

constexpr std::size_t kVectorBytes = 12;
constexpr std::size_t kShortBytes = 6, kShortStride = 8;
constexpr std::size_t kIndexBytes = 2;

// Normals of the points at rest and with a morph at weights -1 and 1.
struct TurnedNormals {
  std::vector<Vec3> rest, back, forth;
};

class MorphMaker {
 public:
  MorphMaker(const Scene& scene, const BakeSurface& surface, bool with_normals)
      : scene_(scene),
        surface_(surface),
        with_normals_(with_normals),
        world_from_mesh_(findBindPose(scene).world_from_mesh) {
    for (const SurfacePart& part : surface.parts) {
      part_of_mesh_[part.mesh] = &part;
    }
    for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
      meshes_of_node_[scene.meshes[m].node].push_back(m);
    }
  }

  void add(const FittedMorph& fitted, std::size_t number, NodeMorphs& result) {
    spread(fitted);
    for (const auto& [node, meshes] : meshes_of_node_) {
      AddedMorph morph;
      morph.node = node;
      bool moves = false;
      for (const std::size_t m : meshes) moves = addMesh(m, morph) || moves;
      if (!moves) continue;
      morph.name = "bake_" + regionName(fitted.node) + "_" + std::to_string(number);
      result.morphs.push_back(std::move(morph));
    }
  }

 private:
  std::string regionName(int node) const {
    return node < 0 ? "body" : scene_.skeleton.nodes[static_cast<std::size_t>(node)].name;
  }

  // The morph as displacements of all points.
  void spread(const FittedMorph& fitted) {
    deltas_.assign(surface_.pointCount(), Vec3(0.0));
    for (std::size_t i = 0; i < fitted.points.size(); ++i) {
      deltas_[fitted.points[i]] = fitted.deltas[i];
    }
    if (!with_normals_) return;
    const auto normalsAt = [&](double weight) {
      std::vector<Vec3> places = surface_.positions, normals(surface_.pointCount());
      for (std::size_t p = 0; p < places.size(); ++p) places[p] += deltas_[p] * weight;
      pointNormals(places, surface_.triangles, normals);
      return normals;
    };
    normals_ = {normalsAt(0.0), normalsAt(-1.0), normalsAt(1.0)};
  }

  // Half of the way that a normal goes while the weight goes from -1 to 1.
  Vec3 normalDelta(std::uint32_t point, const Vec3& normal) const {
    const Vec3& rest = normals_.rest[point];
    if (rest == Vec3(0.0)) return Vec3(0.0);
    const Vec3 forth = rotationBetween(rest, normals_.forth[point]) * normal;
    const Vec3 back = rotationBetween(rest, normals_.back[point]) * normal;
    return (forth - back) * 0.5;
  }

  // Puts the part of one mesh behind those of the node's meshes before it. True if it moves.
  bool addMesh(std::size_t index, AddedMorph& morph) const {
    const SkinnedMesh& mesh = scene_.meshes[index];
    const std::size_t begin = morph.position_deltas.size();
    morph.position_deltas.resize(begin + mesh.vertexCount(), Vec3(0.0));
    if (with_normals_) morph.normal_deltas.resize(begin + mesh.vertexCount(), Vec3(0.0));
    const auto part = part_of_mesh_.find(index);
    if (part == part_of_mesh_.end() || mesh.skin < 0) return false;
    const Mat3& linear = world_from_mesh_[static_cast<std::size_t>(mesh.skin)].linear;
    const Mat3 mesh_from_world = glm::inverse(linear);
    const Quat turn = rotationOf({linear, Vec3(0.0)});
    bool moves = false;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      const std::uint32_t point = part->second->point_of_vertex[v];
      if (point == kNoPoint || deltas_[point] == Vec3(0.0)) continue;
      moves = true;
      morph.position_deltas[begin + v] = mesh_from_world * deltas_[point];
      if (!with_normals_ || mesh.normals.empty()) continue;
      morph.normal_deltas[begin + v] =
          glm::conjugate(turn) * normalDelta(point, turn * mesh.normals[v]);
    }
    return moves;
  }

  const Scene& scene_;
  const BakeSurface& surface_;
  bool with_normals_;
  std::vector<Affine> world_from_mesh_;
  std::map<std::size_t, const SurfacePart*> part_of_mesh_;
  std::map<int, std::vector<std::size_t>> meshes_of_node_;
  std::vector<Vec3> deltas_;
  TurnedNormals normals_;
};

// Sparse or not, whichever is smaller; a vertex in a row of all of them takes a multiple of 4
// bytes.
std::size_t bytesOf(const std::vector<Vec3>& deltas, bool as_int16) {
  const auto still = static_cast<std::size_t>(std::count(deltas.begin(), deltas.end(), Vec3(0.0)));
  const std::size_t moving = deltas.size() - still;
  const std::size_t sparse = as_int16 ? kShortBytes : kVectorBytes;
  const std::size_t dense = as_int16 ? kShortStride : kVectorBytes;
  return std::min(moving * (sparse + kIndexBytes), deltas.size() * dense);
}

}  // namespace

NodeMorphs makeNodeMorphs(const Scene& scene, const BakeSurface& surface,
                          std::span<const FittedMorph> fitted, bool with_normals) {
  NodeMorphs result;
  MorphMaker maker(scene, surface, with_normals);
  std::map<int, std::size_t> numbers;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    maker.add(fitted[i], ++numbers[fitted[i].node], result);
    result.row.resize(result.morphs.size(), i);
    result.weights.push_back(fitted[i].weights);
  }
  return result;
}

std::size_t storeAsInt16(std::span<AddedMorph> morphs, bool bounded) {
  std::size_t left = 0;
  for (AddedMorph& morph : morphs) {
    const bool is_long =
        std::any_of(morph.position_deltas.begin(), morph.position_deltas.end(), [](const Vec3& d) {
          return glm::max(glm::max(std::abs(d.x), std::abs(d.y)), std::abs(d.z)) > 1.0;
        });
    morph.as_int16 = !(bounded && is_long);
    left += morph.as_int16 ? 0 : 1;
  }
  return left;
}

std::size_t bytesOf(std::span<const AddedMorph> morphs) {
  std::size_t bytes = 0;
  for (const AddedMorph& morph : morphs) {
    bytes += bytesOf(morph.position_deltas, morph.as_int16) +
             bytesOf(morph.normal_deltas, morph.as_int16);
  }
  return bytes;
}

}  // namespace clipmill::tet_bake
