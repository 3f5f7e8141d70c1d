// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "penetration/body_skin.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/to_size.h"
#include "humanoid/joint_layout.h"
#include "mesh/weld.h"

namespace clipmill::penetration {
namespace {

constexpr std::size_t kPartsAndNone = humanoid::kBodyPartCount + 1;

// What decides where vertices are, and nothing else.
SkinnedMesh bareMesh(const SkinnedMesh& mesh) {
  SkinnedMesh bare;
  bare.name = mesh.name;
  bare.node = mesh.node;
  bare.skin = mesh.skin;
  bare.positions = mesh.positions;
  bare.triangles = mesh.triangles;
  bare.influence_start = mesh.influence_start;
  bare.influences = mesh.influences;
  for (const MorphTarget& morph : mesh.morphs) {
    bare.morphs.push_back({morph.name, morph.position_deltas, {}});
  }
  return weldVertices(bare);
}

humanoid::BodyPart strongestPart(std::span<const Influence> influences, const Skin& skin,
                                 std::span<const humanoid::BodyPart> part_of_node) {
  std::array<double, kPartsAndNone> weights{};
  for (const Influence& influence : influences) {
    const auto node = toSize(skin.joints[influence.joint]);
    weights[toSize(part_of_node[node])] += influence.weight;
  }
  const auto strongest = std::max_element(weights.begin(), weights.end());
  return static_cast<humanoid::BodyPart>(strongest - weights.begin());
}

}  // namespace

// Gathers meshes, then sorts their vertices by part.
class BodySkin::Builder {
 public:
  Builder(const Scene& scene, const humanoid::HumanoidMap& map)
      : scene_(scene), part_of_node_(humanoid::bodyPartsOfNodes(scene.skeleton, map)) {
    skin_.metric_from_file_ = scene.metric_from_file;
    for (const Skin& skin : scene.skins) {
      first_bone_.push_back(skin_.bones_.size());
      for (std::size_t j = 0; j < skin.joints.size(); ++j) {
        skin_.bones_.push_back({skin.joints[j], skin.joint_from_bind[j]});
      }
    }
  }

  Result<BodySkin> build() {
    for (const SkinnedMesh& mesh : scene_.meshes) {
      if (mesh.skin < 0 || mesh.influence_start.empty()) continue;
      const SkinnedMesh bare = bareMesh(mesh);
      const auto isNumber = [](const Vec3& p) { return isFinite(p); };
      if (!std::all_of(bare.positions.begin(), bare.positions.end(), isNumber)) {
        return Error{ErrorCode::kMalformed, "mesh '" + mesh.name + "'",
                     "has vertices with NaN or infinite positions", "export the mesh again"};
      }
      add(bare);
    }
    sortByPart();
    return std::move(skin_);
  }

 private:
  struct Gathered {
    SkinnedMesh mesh;
    std::vector<humanoid::BodyPart> parts;  // one a vertex
    std::vector<std::uint32_t> positions;   // of the vertices in the sorted skin
  };

  void add(const SkinnedMesh& mesh) {
    const Skin& skin = scene_.skins[toSize(mesh.skin)];
    Gathered gathered{mesh, {}, {}};
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      gathered.parts.push_back(strongestPart(influencesOf(mesh, v), skin, part_of_node_));
    }
    const auto isNone = [](humanoid::BodyPart part) { return part == humanoid::BodyPart::kCount; };
    if (std::all_of(gathered.parts.begin(), gathered.parts.end(), isNone)) return;
    gathered.positions.resize(mesh.vertexCount());
    gathered_.push_back(std::move(gathered));
  }

  static std::span<const Influence> influencesOf(const SkinnedMesh& mesh, std::size_t vertex) {
    const std::size_t start = mesh.influence_start[vertex];
    return std::span(mesh.influences).subspan(start, mesh.influence_start[vertex + 1] - start);
  }

  void sortByPart() {
    skin_.influence_start_.push_back(0);
    for (std::size_t part = 0; part < kPartsAndNone; ++part) {
      skin_.part_start_[part] = skin_.bind_.size();
      for (Gathered& gathered : gathered_) addPart(static_cast<humanoid::BodyPart>(part), gathered);
      listBones(part);
    }
    skin_.part_start_[kPartsAndNone] = skin_.bind_.size();
    for (const Gathered& gathered : gathered_) {
      for (const std::uint32_t v : gathered.mesh.triangles) {
        skin_.triangles_.push_back(gathered.positions[v]);
      }
      addMorphs(gathered);
    }
  }

  void addPart(humanoid::BodyPart part, Gathered& gathered) {
    const std::size_t first = first_bone_[toSize(gathered.mesh.skin)];
    for (std::size_t v = 0; v < gathered.parts.size(); ++v) {
      if (gathered.parts[v] != part) continue;
      gathered.positions[v] = static_cast<std::uint32_t>(skin_.bind_.size());
      skin_.bind_.push_back(gathered.mesh.positions[v]);
      for (const Influence& influence : influencesOf(gathered.mesh, v)) {
        if (influence.weight == 0.0) continue;
        skin_.influences_.push_back(
            {static_cast<std::uint32_t>(first + influence.joint), influence.weight});
      }
      skin_.influence_start_.push_back(skin_.influences_.size());
    }
  }

  void listBones(std::size_t part) {
    std::vector<bool> is_used(skin_.bones_.size(), false);
    const std::size_t start = skin_.influence_start_[skin_.part_start_[part]];
    for (std::size_t i = start; i < skin_.influences_.size(); ++i) {
      is_used[skin_.influences_[i].joint] = true;
    }
    for (std::size_t b = 0; b < is_used.size(); ++b) {
      if (is_used[b]) skin_.bones_of_part_[part].push_back(b);
    }
  }

  void addMorphs(const Gathered& gathered) {
    const Node& node = scene_.skeleton.nodes[toSize(gathered.mesh.node)];
    for (std::size_t m = 0; m < gathered.mesh.morphs.size(); ++m) {
      if (static_cast<int>(m) >= node.weights_count) break;
      Morph morph;
      morph.weight = toSize(node.weights_start) + m;
      const std::vector<Vec3>& deltas = gathered.mesh.morphs[m].position_deltas;
      for (std::size_t v = 0; v < deltas.size(); ++v) {
        if (deltas[v] == Vec3(0.0)) continue;
        morph.vertices.push_back(gathered.positions[v]);
        morph.deltas.push_back(deltas[v]);
      }
      if (!morph.vertices.empty()) skin_.morphs_.push_back(std::move(morph));
    }
  }

  const Scene& scene_;
  std::vector<humanoid::BodyPart> part_of_node_;
  std::vector<std::size_t> first_bone_;  // of every skin
  std::vector<Gathered> gathered_;
  BodySkin skin_;
};

Result<BodySkin> BodySkin::make(const Scene& scene, const humanoid::HumanoidMap& map) {
  return Builder(scene, map).build();
}

BodySkin::Range BodySkin::verticesOf(humanoid::BodyPart part) const {
  const auto p = toSize(part);
  return {part_start_[p], part_start_[p + 1]};
}

humanoid::BodyPart BodySkin::partOf(std::uint32_t vertex) const {
  const auto end = std::upper_bound(part_start_.begin(), part_start_.end(), vertex);
  return static_cast<humanoid::BodyPart>(end - part_start_.begin() - 1);
}

void BodySkin::poseBone(std::size_t bone, std::span<const Affine> world_from_node,
                        Pose& pose) const {
  const Affine moved =
      metric_from_file_ * world_from_node[toSize(bones_[bone].node)] * bones_[bone].joint_from_bind;
  Affine& known = pose.metric_from_bind[bone];
  if (pose.time_of_bone[bone] > 0 && std::memcmp(&known, &moved, sizeof(Affine)) == 0) return;
  known = moved;
  pose.time_of_bone[bone] = pose.now;
}

// Whether a bone of the part moved since the part was posed.
bool BodySkin::isStale(std::size_t part, const Pose& pose) const {
  const std::vector<std::size_t>& bones = bones_of_part_[part];
  return pose.time_of_part[part] == 0 ||
         std::any_of(bones.begin(), bones.end(), [&](std::size_t bone) {
           return pose.time_of_bone[bone] > pose.time_of_part[part];
         });
}

void BodySkin::poseVertices(Range range, Pose& pose) const {
  const std::vector<Vec3>& bind = pose.morphed.empty() ? bind_ : pose.morphed;
  for (std::size_t v = range.start; v < range.end; ++v) {
    Vec3 sum(0.0);
    for (std::size_t i = influence_start_[v]; i < influence_start_[v + 1]; ++i) {
      sum += influences_[i].weight *
             transformPoint(pose.metric_from_bind[influences_[i].joint], bind[v]);
    }
    pose.positions_m[v] = sum;
  }
}

// Whether the morphs are others than before.
bool BodySkin::morph(std::span<const double> weights, Pose& pose) const {
  const auto weightOf = [&](const Morph& morph) {
    return morph.weight < weights.size() ? weights[morph.weight] : 0.0;
  };
  std::vector<double> used;
  for (const Morph& morph : morphs_) used.push_back(weightOf(morph));
  if (used == pose.morph_weights) return false;
  pose.morph_weights = used;
  pose.morphed = bind_;
  for (const Morph& morph : morphs_) {
    const double weight = weightOf(morph);
    if (weight == 0.0) continue;
    for (std::size_t i = 0; i < morph.vertices.size(); ++i) {
      pose.morphed[morph.vertices[i]] += weight * morph.deltas[i];
    }
  }
  return true;
}

BodySkin::PartMarks BodySkin::pose(std::span<const Affine> world_from_node,
                                   std::span<const double> morph_weights, Pose& pose) const {
  pose.metric_from_bind.resize(bones_.size());
  pose.time_of_bone.resize(bones_.size());
  pose.positions_m.resize(bind_.size());
  ++pose.now;
  for (std::size_t b = 0; b < bones_.size(); ++b) poseBone(b, world_from_node, pose);
  const bool is_morphed = !morphs_.empty() && morph(morph_weights, pose);
  PartMarks is_posed{};
  for (std::size_t part = 0; part < kPartsAndNone; ++part) {
    is_posed[part] = is_morphed || isStale(part, pose);
    if (!is_posed[part]) continue;
    poseVertices({part_start_[part], part_start_[part + 1]}, pose);
    pose.time_of_part[part] = pose.now;
  }
  return is_posed;
}

void BodySkin::posePart(humanoid::BodyPart part, std::span<const Affine> world_from_node,
                        Pose& pose) const {
  ++pose.now;
  for (const std::size_t b : bones_of_part_[toSize(part)]) {
    poseBone(b, world_from_node, pose);
  }
  poseVertices(verticesOf(part), pose);
  pose.time_of_part[toSize(part)] = pose.now;
}

BodySkin::Pose boundPose(const Scene& scene, const BodySkin& skin) {
  const Affine file_from_metric = inverse(scene.metric_from_file);
  std::vector<Affine> worlds;
  for (const Affine& world : humanoid::boundWorlds(scene)) {
    worlds.push_back(file_from_metric * world);
  }
  BodySkin::Pose pose;
  skin.pose(worlds, scene.skeleton.rest_weights, pose);
  return pose;
}

}  // namespace clipmill::penetration
