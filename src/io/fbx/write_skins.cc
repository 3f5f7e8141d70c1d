// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Skin <- Cluster <- Model. A vertex is at the weighted sum of world_from_joint * Transform; as in
// glTF, the transform of the mesh node has no effect. But other programs position the mesh by its
// node and the joints by TransformLink, and bind them there. So both agree with the scene at rest
// as far as possible.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/finite.h"
#include "core/to_size.h"
#include "io/fbx/write_meshes.h"

namespace clipmill::io::fbx {
namespace {

// Transforms with a smaller relative difference are the same except for rounding.
constexpr double kSameTransform = 1e-3;
// Joints whose bind space is tested; more cost time without a better result.
constexpr std::size_t kMaxProposals = 64;

double largestNumber(const Mat3& m) {
  double largest = 0.0;
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 3; ++row) largest = std::max(largest, std::fabs(m[column][row]));
  }
  return largest;
}

bool isSameTransform(const Affine& a, const Affine& b, double extent) {
  const Vec3 offset = a.translation - b.translation;
  return largestNumber(a.linear - b.linear) <= kSameTransform * largestNumber(b.linear) &&
         std::sqrt(glm::dot(offset, offset)) <= kSameTransform * extent;
}

struct Cluster {
  std::vector<std::int32_t> vertices;
  std::vector<double> weights;
};

// Lists of vertices for each joint; the weights of a vertex sum to 1, each joint named once.
std::vector<Cluster> clustersOf(const NodeMesh& mesh, std::size_t joint_count) {
  std::vector<Cluster> clusters(joint_count);
  std::int32_t vertex = 0;
  std::map<std::uint32_t, double> weight_of_joint;
  for (const SkinnedMesh* part : mesh.parts) {
    for (std::size_t v = 0; v < part->vertexCount(); ++v, ++vertex) {
      weight_of_joint.clear();
      double sum = 0.0;
      for (std::size_t i = part->influence_start[v]; i < part->influence_start[v + 1]; ++i) {
        const Influence& influence = part->influences[i];
        if (!(influence.weight > 0.0)) continue;
        weight_of_joint[influence.joint] += influence.weight;
        sum += influence.weight;
      }
      for (const auto& [joint, weight] : weight_of_joint) {
        clusters[joint].vertices.push_back(vertex);
        clusters[joint].weights.push_back(weight / sum);
      }
    }
  }
  return clusters;
}

// The node that tools take for the whole of a skeleton: the first above a joint that is no limb.
Affine skeletonWorld(const Scene& scene, int joint, std::span<const Affine> worlds,
                     const WrittenIds& ids) {
  int node = joint;
  while (node >= 0 && ids.kinds[toSize(node)] == ModelKind::kLimb) {
    node = scene.skeleton.nodes[toSize(node)].parent;
  }
  return node < 0 ? Affine{} : worlds[toSize(node)];
}

// The mesh, the joints, and everything above them: a pose with gaps is not taken by all tools.
void writeBindPose(const Scene& scene, const NodeMesh& mesh, std::span<const Affine> worlds,
                   const std::map<int, Affine>& world_at_bind, const WrittenIds& ids,
                   FileBuilder& file) {
  std::set<int> nodes;
  const auto add_with_parents = [&](int node) {
    for (; node >= 0 && nodes.insert(node).second;) {
      node = scene.skeleton.nodes[toSize(node)].parent;
    }
  };
  add_with_parents(mesh.node);
  for (const auto& [joint, world] : world_at_bind) add_with_parents(joint);
  std::vector<NewElement> elements = {leaf("Type", std::string("BindPose")),
                                      leaf("Version", std::int32_t{100}),
                                      leaf("NbPoseNodes", static_cast<std::int32_t>(nodes.size()))};
  for (const int node : nodes) {
    const auto found = world_at_bind.find(node);
    const Affine& world = found == world_at_bind.end() ? worlds[toSize(node)] : found->second;
    elements.push_back(block(
        "PoseNode", {leaf("Node", ids.models[toSize(node)]), matrixElement("Matrix", world)}));
  }
  file.add("Pose", mesh.parts.front()->name, "Pose", "BindPose", std::move(elements));
}

}  // namespace

Affine worldFromBind(const Skin& skin, int node, std::span<const Affine> worlds) {
  // The bind space according to each joint at rest, and their extent.
  std::vector<Affine> bind_worlds;
  double extent = 0.0;
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    const Affine& world = worlds[toSize(skin.joints[j])];
    bind_worlds.push_back(world * skin.joint_from_bind[j]);
    extent = std::max(extent, std::sqrt(glm::dot(world.translation, world.translation)));
  }
  std::vector<Affine> proposals = {worlds[toSize(node)], {}};
  const std::size_t step = bind_worlds.size() / kMaxProposals + 1;
  for (std::size_t j = 0; j < bind_worlds.size(); j += step) {
    if (isFinite(inverse(bind_worlds[j]))) proposals.push_back(bind_worlds[j]);
  }
  std::size_t most = 0, best = 0;
  for (std::size_t p = 0; p < proposals.size(); ++p) {
    const auto agree = toSize(std::ranges::count_if(bind_worlds, [&](const Affine& world) {
      return isSameTransform(world, proposals[p], extent);
    }));
    if (agree > most) {
      most = agree;
      best = p;
    }
  }
  return proposals[best];
}

void writeSkin(const Scene& scene, const NodeMesh& mesh, const Affine& world_from_bind,
               std::span<const Affine> worlds, std::int64_t geometry, const WrittenIds& ids,
               FileBuilder& file) {
  const Skin& skin = scene.skins[toSize(mesh.skin)];
  const std::int64_t skin_id =
      file.add("Deformer", skin.name, "Deformer", "Skin",
               {leaf("Version", std::int32_t{101}), leaf("Link_DeformAcuracy", 50.0),
                leaf("SkinningType", std::string("Linear"))});
  file.connect(skin_id, geometry);
  const Affine mesh_from_control = inverse(mesh.control_from_mesh);
  std::vector<Cluster> clusters = clustersOf(mesh, skin.joints.size());
  std::map<int, Affine> world_at_bind;
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    const auto joint = toSize(skin.joints[j]);
    Affine link = world_from_bind * inverse(skin.joint_from_bind[j]);
    if (!isFinite(link)) link = worlds[joint];
    world_at_bind.emplace(skin.joints[j], link);
    std::vector<NewElement> elements = {leaf("Version", std::int32_t{100})};
    elements.push_back({"UserData", {std::string(), std::string()}, {}, false});
    if (!clusters[j].vertices.empty()) {
      elements.push_back(leaf("Indexes", std::move(clusters[j].vertices)));
      elements.push_back(leaf("Weights", std::move(clusters[j].weights)));
    }
    elements.push_back(matrixElement("Transform", skin.joint_from_bind[j] * mesh_from_control));
    elements.push_back(matrixElement("TransformLink", link));
    elements.push_back(matrixElement("TransformAssociateModel",
                                     skeletonWorld(scene, skin.joints[j], worlds, ids)));
    const std::int64_t cluster = file.add("Deformer", scene.skeleton.nodes[joint].name,
                                          "SubDeformer", "Cluster", std::move(elements));
    file.connect(cluster, skin_id);
    file.connect(ids.models[joint], cluster);
  }
  writeBindPose(scene, mesh, worlds, world_at_bind, ids, file);
}

}  // namespace clipmill::io::fbx
