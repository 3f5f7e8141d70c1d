// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/skin/skin_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/to_size.h"
#include "stages/dynamic_bones/skin/mesh_joints.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Edges get points this share of the body's size apart.
constexpr double kSpacingShare = 0.03;
// A bone with a smaller part in a point does not carry it.
constexpr double kMinInfluence = 0.2;
constexpr std::size_t kPointsPerBone = 16;

// The bones of the rig at rest, and which of them move with a node.
class RestRig {
 public:
  RestRig(const Scene& scene, const Rig& rig, std::span<const Affine> worlds) : rig_(rig) {
    joint_of_.assign(scene.skeleton.size(), -1);
    for (std::size_t j = 0; j < rig.joints.size(); ++j) {
      joint_of_[toSize(rig.slots[toSize(rig.joints[j].slot)].node)] = static_cast<int>(j);
    }
    for (const Bone& bone : rig.bones) {
      const int slot = rig.joints[toSize(bone.joint)].slot;
      const Affine& joint = worlds[toSize(rig.slots[toSize(slot)].node)];
      heads_.push_back(joint.translation);
      ends_.push_back(bone.tail_node < 0 ? transformPoint(joint, bone.tip_offset)
                                         : worlds[toSize(bone.tail_node)].translation);
    }
    // Nodes below a joint that are no joints follow it.
    for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
      const int parent = scene.skeleton.nodes[i].parent;
      if (joint_of_[i] < 0 && parent >= 0) joint_of_[i] = joint_of_[toSize(parent)];
    }
  }

  // Of the bones of the joint that moves a node the one nearest to a point; none where no joint
  // moves it.
  std::optional<BoneInfluence> influenceOf(int node, const Vec3& point_m) const {
    const int j = joint_of_[toSize(node)];
    if (j < 0) return std::nullopt;
    std::optional<BoneInfluence> best;
    double best_m2 = std::numeric_limits<double>::infinity();
    for (std::size_t b = rig_.joints[toSize(j)].bones_start; b < rig_.joints[toSize(j)].bones_end;
         ++b) {
      const Vec3 path = ends_[b] - heads_[b];
      const double square = glm::dot(path, path);
      const double along = square > 0.0 ? glm::dot(point_m - heads_[b], path) / square : 0.0;
      const double share = std::clamp(along, 0.0, 1.0);
      const Vec3 apart = point_m - (heads_[b] + path * share);
      if (glm::dot(apart, apart) >= best_m2) continue;
      best_m2 = glm::dot(apart, apart);
      best = BoneInfluence{b, share};
    }
    return best;
  }

  const std::vector<Vec3>& heads() const { return heads_; }
  const std::vector<Vec3>& ends() const { return ends_; }

 private:
  const Rig& rig_;
  std::vector<int> joint_of_;  // one a node: the joint that moves it, or -1
  std::vector<Vec3> heads_, ends_;
};

// An influence and its weight in a point.
struct WeightedInfluence {
  BoneInfluence influence;
  double weight = 0.0;
};

void addInfluence(const BoneInfluence& influence, double weight,
                  std::vector<WeightedInfluence>& all) {
  for (WeightedInfluence& known : all) {
    if (known.influence.bone != influence.bone) continue;
    const double sum = known.weight + weight;
    if (sum > 0.0) {
      known.influence.share =
          (known.influence.share * known.weight + influence.share * weight) / sum;
    }
    known.weight = sum;
    return;
  }
  all.push_back({influence, weight});
}

// Finds the points of strips.
class PointFinder {
 public:
  PointFinder(const Scene& scene, const Rig& rig, const RestRig& rest_rig, ChainSkin& skin,
              std::span<const Vec3> strips_m, double size_m)
      : rig_(rig), rest_rig_(rest_rig), skin_(skin), strips_m_(strips_m), size_m_(size_m) {
    for (const SkinnedMesh& part : skin.strips) {
      for (std::size_t v = 0; v < part.vertexCount(); ++v) {
        auto& influences = influences_of_.emplace_back();
        const Vec3 at_m = strips_m[influences_of_.size() - 1];
        MeshJoints{scene, part}.each(v, [&](int node, double weight) {
          const auto influence = rest_rig.influenceOf(node, at_m);
          if (influence) addInfluence(*influence, weight, influences);
        });
      }
    }
  }

  // The surface that a vertex stays out of; none where its chain avoids none.
  std::optional<std::size_t> surfaceOf(std::size_t vertex) const {
    if (influences_of_[vertex].empty()) return std::nullopt;
    const int chain = rig_.bones[influences_of_[vertex].front().influence.bone].chain;
    const SkinUse use = rig_.skin_uses[toSize(chain)];
    if (use == SkinUse::kNone) return std::nullopt;
    return use == SkinUse::kWithoutArms ? 1 : 0;
  }

  // See StripVertex.
  double armOf(std::size_t vertex) const {
    double arm_m = 0.0;
    for (const WeightedInfluence& of : influences_of_[vertex]) {
      std::size_t first = of.influence.bone;
      while (rig_.bones[first].parent >= 0) first = toSize(rig_.bones[first].parent);
      arm_m += of.weight * glm::length(strips_m_[vertex] - rest_rig_.heads()[first]);
    }
    return arm_m;
  }

  void find() {
    const std::vector<Edge> edges = findEdges();
    std::vector<double> spacing_m(strips_m_.size(), 0.0);
    for (const Edge& edge : edges) {
      for (const std::uint32_t v : {edge.a, edge.b}) {
        spacing_m[v] = std::max(spacing_m[v], edge.piece_m);
      }
    }
    std::vector<SkinPoint> all;
    for (std::uint32_t v = 0; v < strips_m_.size(); ++v) add(v, v, 0.0, spacing_m[v], all);
    for (const Edge& edge : edges) {
      for (int k = 1; k < edge.pieces; ++k) {
        add(edge.a, edge.b, static_cast<double>(k) / edge.pieces, edge.piece_m, all);
      }
    }
    thinOut(std::move(all));
  }

 private:
  struct Edge {
    std::uint32_t a = 0, b = 0;
    int pieces = 1;  // into which its points divide it
    double piece_m = 0.0;
  };

  void add(std::uint32_t v, std::uint32_t other, double toward, double spacing_m,
           std::vector<SkinPoint>& all) {
    std::vector<WeightedInfluence> weighted;
    for (const WeightedInfluence& of : influences_of_[v]) {
      addInfluence(of.influence, of.weight * (1.0 - toward), weighted);
    }
    for (const WeightedInfluence& of : influences_of_[other]) {
      if (toward > 0.0) addInfluence(of.influence, of.weight * toward, weighted);
    }
    std::stable_sort(weighted.begin(), weighted.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    SkinPoint point;
    point.vertex = v;
    point.other_vertex = other;
    point.toward_other = toward;
    point.spacing_m = spacing_m;
    for (const WeightedInfluence& of : weighted) {
      const bool avoids_skin = listsName(rig_.bones[of.influence.bone].own.colliders, kSkinName);
      if (of.weight >= kMinInfluence && avoids_skin) point.influences.push_back(of.influence);
    }
    if (point.influences.empty()) return;
    const auto surface = surfaceOf(v);
    point.surface = surface.value_or(0);
    if (surface) all.push_back(std::move(point));
  }

  std::vector<Edge> findEdges() const {
    const double spacing_m = kSpacingShare * size_m_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::uint32_t first = 0;
    for (const SkinnedMesh& part : skin_.strips) {
      for (std::size_t i = 0; i < part.triangles.size(); ++i) {
        const std::size_t next = i % 3 == 2 ? i - 2 : i + 1;
        pairs.insert(std::minmax(first + part.triangles[i], first + part.triangles[next]));
      }
      first += static_cast<std::uint32_t>(part.vertexCount());
    }
    std::vector<Edge> edges;
    for (const auto& [a, b] : pairs) {
      const double length_m = glm::length(strips_m_[b] - strips_m_[a]);
      const int pieces = std::max(1, static_cast<int>(std::min(length_m / spacing_m, 16.0)));
      edges.push_back({a, b, pieces, length_m / pieces});
    }
    return edges;
  }

  // Of the points of each bone those that are farthest from each other.
  void thinOut(std::vector<SkinPoint> all) {
    std::vector<std::vector<std::size_t>> of_bone(rig_.bones.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      of_bone[all[i].influences.front().bone].push_back(i);
    }
    for (std::size_t b = 0; b < of_bone.size(); ++b) keepFarthest(b, of_bone[b], all);
  }

  void keepFarthest(std::size_t bone, std::span<const std::size_t> of_bone,
                    const std::vector<SkinPoint>& all) {
    const auto squareTo = [&](std::size_t i, const Vec3& from) {
      const Vec3 apart = all[i].in(strips_m_)-from;
      return glm::dot(apart, apart);
    };
    // The first is that which is farthest from the bone's head.
    std::vector<double> apart_m2;
    for (const std::size_t i : of_bone) apart_m2.push_back(squareTo(i, rest_rig_.heads()[bone]));
    const std::size_t first_kept = skin_.points.size();
    for (std::size_t n = 0; n < std::min(kPointsPerBone, of_bone.size()); ++n) {
      const auto farthest = std::max_element(apart_m2.begin(), apart_m2.end());
      if (n > 0 && !(*farthest > 0.0)) break;
      const std::size_t chosen = of_bone[toSize(farthest - apart_m2.begin())];
      skin_.points.push_back(all[chosen]);
      const Vec3 from = all[chosen].in(strips_m_);
      for (std::size_t k = 0; k < of_bone.size(); ++k) {
        const double square = squareTo(of_bone[k], from);
        apart_m2[k] = n == 0 ? square : std::min(apart_m2[k], square);
      }
    }
    if (of_bone.empty()) return;
    // Each point that was left out has one that stays within this distance.
    const double left_out_m = std::sqrt(*std::max_element(apart_m2.begin(), apart_m2.end()));
    for (std::size_t i = first_kept; i < skin_.points.size(); ++i) {
      skin_.points[i].spacing_m += 2.0 * left_out_m;
    }
  }

  const Rig& rig_;
  const RestRig& rest_rig_;
  ChainSkin& skin_;
  std::span<const Vec3> strips_m_;
  const double size_m_;
  std::vector<std::vector<WeightedInfluence>> influences_of_;  // one a vertex of strips
};

}  // namespace

void addBareBones(const Scene& scene, const Rig& rig, std::span<const Affine> worlds,
                  std::span<const Vec3> strips_m, ChainSkin& skin) {
  const RestRig rest_rig(scene, rig, worlds);
  std::vector<char> has_vertices(rig.bones.size(), 0);
  std::size_t at = 0;
  for (const SkinnedMesh& part : skin.strips) {
    for (std::size_t v = 0; v < part.vertexCount(); ++v, ++at) {
      MeshJoints{scene, part}.each(v, [&](int node, double weight) {
        const auto influence = rest_rig.influenceOf(node, strips_m[at]);
        if (influence && weight >= kMinInfluence) has_vertices[influence->bone] = 1;
      });
    }
  }
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (has_vertices[b]) continue;
    const int slot = rig.joints[toSize(rig.bones[b].joint)].slot;
    SkinnedMesh points;
    points.node = rig.slots[toSize(slot)].node;
    const Affine own_from_metric = inverse(worlds[toSize(points.node)]);
    const Vec3 head = rest_rig.heads()[b], path = rest_rig.ends()[b] - head;
    for (const double share : {0.5, 1.0}) {
      points.positions.push_back(transformPoint(own_from_metric, head + path * share));
    }
    if (isFinite(points.positions[0]) && isFinite(points.positions[1])) {
      skin.strips.push_back(std::move(points));
    }
  }
}

std::vector<StripVertex> findSkinPoints(const Scene& scene, const Rig& rig,
                                        std::span<const Affine> worlds,
                                        std::span<const Vec3> strips_m, double size_m,
                                        ChainSkin& skin) {
  const RestRig rest_rig(scene, rig, worlds);
  PointFinder finder(scene, rig, rest_rig, skin, strips_m, size_m);
  finder.find();
  std::vector<StripVertex> vertices;
  for (std::size_t v = 0; v < strips_m.size(); ++v) {
    vertices.push_back({finder.surfaceOf(v), finder.armOf(v)});
  }
  return vertices;
}

}  // namespace clipmill::stages::dynamic_bones
