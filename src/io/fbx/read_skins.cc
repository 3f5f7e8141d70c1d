// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Skin <- Cluster <- Model. A cluster lists control points with weights; Transform leads from the
// mesh to the joint at bind, TransformLink from the joint to the world.
#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/to_size.h"
#include "io/fbx/read_meshes.h"

namespace clipmill::io::fbx {
namespace {

struct Weighted {
  std::uint32_t vertex;
  Influence influence;
};

class SkinReader {
 public:
  SkinReader(const Document& document, const Nodes& nodes, SkinnedMesh& mesh, Scene& scene)
      : document_(document), nodes_(nodes), mesh_(mesh), scene_(scene) {}

  Status read(int skin_object) {
    skin_.name = document_.object(skin_object).name;
    warnOfBlending(skin_object);
    for (const int cluster : document_.childrenOf(skin_object, "Deformer", "Cluster")) {
      if (Status done = readCluster(cluster); !done) {
        return within("Cluster " + document_.object(cluster).name, done.error());
      }
    }
    if (skin_.joints.empty()) return {};
    gather();
    mesh_.skin = static_cast<int>(scene_.skins.size());
    scene_.skins.push_back(std::move(skin_));
    return {};
  }

 private:
  void warnOfBlending(int skin_object) {
    const auto type = document_.object(skin_object).element.child("SkinningType");
    const std::string word = type ? type->text(0).value_or("") : "";
    if (word == "DualQuaternion" || word == "Blend") {
      scene_.warnings.add("dual_quaternion_skin",
                          "a skin uses dual quaternion blending; linear blending is used instead",
                          mesh_.name);
    }
  }

  Status readCluster(int cluster) {
    const Element element = document_.object(cluster).element;
    const auto models = document_.childrenOf(cluster, "Model", "");
    if (models.empty()) {
      scene_.warnings.add("cluster_without_joint",
                          "a cluster of a skin has no joint and is dropped", mesh_.name);
      return {};
    }
    const auto mode = element.child("Mode");
    if (mode && mode->text(0).value_or("Normalize") != "Normalize") {
      scene_.warnings.add("link_mode",
                          "a cluster has another link mode than Normalize; Normalize is used",
                          mesh_.name);
    }
    const int joint_node = nodes_.node_of_object[toSize(models.front())];
    CLIPMILL_TRY(const Affine joint_from_mesh, bindOf(element, joint_node));
    const auto joint = static_cast<std::uint32_t>(skin_.joints.size());
    skin_.joints.push_back(joint_node);
    skin_.joint_from_bind.push_back(joint_from_mesh);
    return readWeights(element, joint);
  }

  // Exporters leave Transform out where the rest pose has it, and some TransformLink too.
  Result<Affine> bindOf(const Element& cluster, int joint) {
    CLIPMILL_TRY(const auto transform, matrixOf(cluster, "Transform"));
    if (transform) return *transform;
    CLIPMILL_TRY(const auto link, matrixOf(cluster, "TransformLink"));
    std::vector<Affine> worlds;
    computeWorlds(nodes_.skeleton, restPose(nodes_.skeleton).locals, {}, worlds);
    if (!link) {
      scene_.warnings.add("cluster_without_bind",
                          "a cluster of a skin has no bind matrices; the rest pose is used",
                          mesh_.name);
    }
    return inverse(link ? *link : worlds[toSize(joint)]) * worlds[toSize(mesh_.node)];
  }

  Status readWeights(const Element& cluster, std::uint32_t joint) {
    const auto indices_element = cluster.child("Indexes");
    const auto weights_element = cluster.child("Weights");
    if (!indices_element || !weights_element) return {};
    CLIPMILL_TRY(const auto indices, indices_element->integers());
    CLIPMILL_TRY(const auto weights, weights_element->numbers());
    if (indices.size() != weights.size()) {
      return Error{ErrorCode::kMalformed, "", "has different numbers of weights and indices", ""};
    }
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < 0 || indices[i] >= static_cast<std::int64_t>(mesh_.vertexCount())) {
        return Error{ErrorCode::kMalformed, "", "binds a control point that does not exist", ""};
      }
      if (!std::isfinite(weights[i]) || weights[i] < 0.0) {
        return Error{ErrorCode::kMalformed, "", "has a weight that is negative or not a number",
                     ""};
      }
      if (weights[i] == 0.0) continue;
      weights_.push_back({static_cast<std::uint32_t>(indices[i]), {joint, weights[i]}});
    }
    return {};
  }

  // From lists of vertices per joint to lists of joints per vertex.
  void gather() {
    const std::size_t count = mesh_.vertexCount();
    std::vector<double> totals(count, 0.0);
    std::vector<std::size_t> counts(count, 0);
    for (const Weighted& w : weights_) {
      totals[w.vertex] += w.influence.weight;
      ++counts[w.vertex];
    }
    bool has_free_vertex = false;
    mesh_.influence_start.assign(1, 0);
    for (std::size_t v = 0; v < count; ++v) {
      has_free_vertex = has_free_vertex || counts[v] == 0;
      mesh_.influence_start.push_back(mesh_.influence_start.back() +
                                      std::max<std::size_t>(counts[v], 1));
    }
    mesh_.influences.resize(mesh_.influence_start.back());
    std::vector<std::size_t> next(mesh_.influence_start.begin(), mesh_.influence_start.end() - 1);
    for (const Weighted& w : weights_) {
      mesh_.influences[next[w.vertex]++] = {w.influence.joint,
                                            w.influence.weight / totals[w.vertex]};
    }
    if (!has_free_vertex) return;
    // What no joint holds stays with the node of the mesh.
    const auto own = static_cast<std::uint32_t>(skin_.joints.size());
    skin_.joints.push_back(mesh_.node);
    skin_.joint_from_bind.emplace_back();
    for (std::size_t v = 0; v < count; ++v) {
      if (counts[v] == 0) mesh_.influences[mesh_.influence_start[v]] = {own, 1.0};
    }
  }

  const Document& document_;
  const Nodes& nodes_;
  SkinnedMesh& mesh_;
  Scene& scene_;
  Skin skin_;
  std::vector<Weighted> weights_;
};

}  // namespace

Result<std::optional<Affine>> matrixOf(const Element& cluster, std::string_view name) {
  const auto element = cluster.child(name);
  if (!element) return std::optional<Affine>();
  CLIPMILL_TRY(const std::vector<double> m, element->numbers());
  if (m.size() != 16) {
    return Error{ErrorCode::kMalformed, std::string(name), "is not a matrix of 16 numbers", ""};
  }
  Affine map;
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 3; ++row) {
      map.linear[column][row] = m[toSize(4 * column + row)];
    }
  }
  map.translation = Vec3(m[12], m[13], m[14]);
  return std::optional(map);
}

Status readSkin(const Document& document, const Nodes& nodes, int geometry, SkinnedMesh& mesh,
                Scene& scene) {
  const auto skins = document.childrenOf(geometry, "Deformer", "Skin");
  if (skins.empty()) return {};
  if (skins.size() > 1) {
    scene.warnings.add("several_skins", "a mesh has several skins; only the first one is used",
                       mesh.name);
  }
  return SkinReader(document, nodes, mesh, scene).read(skins.front());
}

}  // namespace clipmill::io::fbx
