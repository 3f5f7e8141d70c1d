// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Model <- Geometry <- Skin <- Cluster <- Model of the joint.
#include "io/fbx/patch_joints.h"

#include <algorithm>
#include <map>
#include <set>

#include "anim/pose.h"
#include "core/finite.h"
#include "core/to_size.h"
#include "io/fbx/file_builder.h"
#include "io/fbx/new_curve.h"
#include "io/fbx/patch_objects.h"
#include "io/fbx/read_meshes.h"
#include "io/fbx/write_nodes.h"

namespace clipmill::io::fbx {
namespace {

// Vertices of a cluster.
struct Weights {
  std::vector<std::int32_t> vertices;
  std::vector<double> weights;

  void add(std::int64_t vertex, double weight) {
    vertices.push_back(static_cast<std::int32_t>(vertex));
    weights.push_back(weight);
  }
};

std::map<std::uint32_t, double> influencesOf(const SkinnedMesh& mesh, std::size_t vertex) {
  std::map<std::uint32_t, double> weight_of_joint;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    const Influence& influence = mesh.influences[i];
    if (influence.weight > 0.0) weight_of_joint[influence.joint] += influence.weight;
  }
  return weight_of_joint;
}

// What happens to the vertices of a mesh.
struct ChangedWeights {
  std::vector<bool> is_changed;   // of each vertex
  std::vector<Weights> of_joint;  // of changed vertices, one a joint of the skin
};

ChangedWeights changedWeights(const SkinnedMesh& before, const SkinnedMesh& after,
                              std::size_t joint_count) {
  ChangedWeights changed{std::vector<bool>(after.vertexCount()), std::vector<Weights>(joint_count)};
  for (std::size_t v = 0; v < after.vertexCount(); ++v) {
    const auto influences = influencesOf(after, v);
    if (influences == influencesOf(before, v)) continue;
    changed.is_changed[v] = true;
    for (const auto& [joint, weight] : influences) {
      changed.of_joint[joint].add(static_cast<std::int64_t>(v), weight);
    }
  }
  return changed;
}

// The objects of one skin.
struct SkinObjects {
  int skin = -1;
  std::vector<int> clusters;  // those of the first joints of the scene's skin
};

class JointPatcher {
 public:
  JointPatcher(const Document& document, const ReadScene& read, const Scene& scene,
               const Additions& additions)
      : document_(document),
        read_(read),
        before_(scene),
        after_(withAdditions(scene, {{}, {}, additions.joints, additions.weights})),
        objects_(document) {
    computeWorlds(after_.skeleton, restPose(after_.skeleton).locals, {}, worlds_);
  }

  Result<Bytes> patch(std::span<const AddedWeights> weights) {
    addModels();
    for (const AddedWeights& added : weights) {
      if (Status done = patchSkin(added.node); !done) {
        return within(pathOf(before_.skeleton, added.node), done.error());
      }
    }
    addToBindPoses();
    objects_.finish(edits_);
    return writeTree(*document_.tree, edits_);
  }

 private:
  std::int64_t idOf(int node) const {
    const auto n = toSize(node), known = before_.skeleton.size();
    return n < known ? document_.object(read_.nodes.object_of_node[n]).id : new_ids_[n - known];
  }
  const std::string& nameOf(int node) const { return after_.skeleton.nodes[toSize(node)].name; }

  std::int64_t add(const char* type, const std::string& name, const char* class_name,
                   const char* subtype, std::vector<NewElement> children) {
    const std::int64_t id = objects_.newId();
    objects_.add({type,
                  {id, classedName(objectName(name), class_name), std::string(subtype)},
                  std::move(children),
                  true});
    return id;
  }

  void addModels() {
    for (std::size_t n = before_.skeleton.size(); n < after_.skeleton.size(); ++n) {
      const Node& node = after_.skeleton.nodes[n];
      const std::int64_t id = add("Model", node.name, "Model", "LimbNode", modelElements(node));
      objects_.connect(id, idOf(node.parent));
      objects_.connect(add("NodeAttribute", node.name, "NodeAttribute", "LimbNode", limbElements()),
                       id);
      new_ids_.push_back(id);
    }
  }

  Status patchSkin(int node) {
    const auto is_shown = [&](const SkinnedMesh& mesh) { return mesh.node == node; };
    const SkinnedMesh& before = *std::ranges::find_if(before_.meshes, is_shown);
    const SkinnedMesh& after = *std::ranges::find_if(after_.meshes, is_shown);
    const auto skin = toSize(after.skin);
    const std::size_t known = before_.skins[skin].joints.size();
    CLIPMILL_TRY(const SkinObjects objects, skinObjectsOf(node, known));
    const std::vector<int>& clusters = objects.clusters;
    ChangedWeights changed = changedWeights(before, after, after_.skins[skin].joints.size());
    for (std::size_t j = 0; j < clusters.size(); ++j) {
      const Element cluster = document_.object(clusters[j]).element;
      CLIPMILL_CHECK(patchCluster(cluster, changed.is_changed, std::move(changed.of_joint[j])));
    }
    for (std::size_t j = clusters.size(); j < known; ++j) {
      CLIPMILL_CHECK(checkFree(changed.of_joint[j]));
    }
    CLIPMILL_TRY(const Affine world_from_mesh, worldFromMesh(node, clusters));
    for (std::size_t j = known; j < after_.skins[skin].joints.size(); ++j) {
      addCluster(objects.skin, after_.skins[skin], j, world_from_mesh,
                 std::move(changed.of_joint[j]));
    }
    patched_.push_back(node);
    return {};
  }

  // `joint_count` is that of the skin as it was read: one a cluster, and perhaps the node of the
  // mesh for vertices that no cluster holds.
  Result<SkinObjects> skinObjectsOf(int node, std::size_t joint_count) const {
    const int model = read_.nodes.object_of_node[toSize(node)];
    CLIPMILL_TRY(const int geometry, ownGeometryOf(document_, model));
    const auto skins = document_.childrenOf(geometry, "Deformer", "Skin");
    if (skins.size() != 1 || usersOf(document_, skins.front(), "Geometry").size() != 1) {
      return Error{ErrorCode::kUnsupported, "",
                   "has several skins, or a skin shared with other meshes; its weights cannot be "
                   "changed in place",
                   "give each mesh its own skin, or write glTF"};
    }
    SkinObjects objects{skins.front(), {}};
    for (const int cluster : document_.childrenOf(skins.front(), "Deformer", "Cluster")) {
      if (document_.childrenOf(cluster, "Model", "").empty()) continue;
      if (usersOf(document_, cluster, "Deformer").size() != 1) {
        return Error{ErrorCode::kUnsupported, "", "has a cluster shared with other skins",
                     "write glTF"};
      }
      objects.clusters.push_back(cluster);
    }
    if (joint_count == objects.clusters.size() || joint_count == objects.clusters.size() + 1) {
      return objects;
    }
    return Error{ErrorCode::kInternal, "", "has other clusters than were read", ""};
  }

  // Vertices that keep their influences keep their entries too: weights need not sum to 1 in files.
  Status patchCluster(const Element& cluster, const std::vector<bool>& is_changed, Weights added) {
    const auto indices_element = cluster.child("Indexes");
    const auto weights_element = cluster.child("Weights");
    bool differs = !added.vertices.empty();
    Weights kept;
    if (indices_element && weights_element) {
      CLIPMILL_TRY(const auto indices, indices_element->integers());
      CLIPMILL_TRY(const auto weights, weights_element->numbers());
      for (std::size_t i = 0; i < std::min(indices.size(), weights.size()); ++i) {
        if (is_changed[toSize(indices[i])]) {
          differs = true;
        } else {
          kept.add(indices[i], weights[i]);
        }
      }
    }
    if (!differs) return {};
    for (std::size_t i = 0; i < added.vertices.size(); ++i) {
      kept.add(added.vertices[i], added.weights[i]);
    }
    const bool is_empty = kept.vertices.empty();
    setArray(cluster, "Indexes", is_empty, std::move(kept.vertices));
    setArray(cluster, "Weights", is_empty, std::move(kept.weights));
    return {};
  }

  void setArray(const Element& cluster, const char* name, bool is_empty, NewValue array) {
    const auto present = cluster.child(name);
    if (is_empty) {
      if (present) edits_.removed.insert(present->index());
    } else if (present) {
      edits_.replaced[present->index()] = leaf(name, std::move(array));
    } else {
      edits_.appended[cluster.index()].push_back(leaf(name, std::move(array)));
    }
  }

  // The node of a mesh is no joint to a file: vertices are held by no cluster, or by joints alone.
  static Status checkFree(const Weights& weights) {
    const bool is_whole = std::ranges::all_of(weights.weights, [](double w) { return w == 1.0; });
    if (is_whole) return {};
    return Error{
        ErrorCode::kUnsupported, "",
        "gets vertices that are partly bound to the node of their mesh, which FBX cannot store",
        "bind the vertices to joints, or write glTF"};
  }

  // Transform of the mesh at bind, from the first cluster that has it.
  Result<Affine> worldFromMesh(int node, const std::vector<int>& clusters) const {
    for (const int cluster : clusters) {
      const Element element = document_.object(cluster).element;
      CLIPMILL_TRY(const auto transform, matrixOf(element, "Transform"));
      CLIPMILL_TRY(const auto link, matrixOf(element, "TransformLink"));
      if (transform && link && isFinite(*link * *transform)) return *link * *transform;
    }
    return worlds_[toSize(node)];
  }

  void addCluster(int skin_object, const Skin& skin, std::size_t joint,
                  const Affine& world_from_mesh, Weights weights) {
    const int node = skin.joints[joint];
    Affine link = world_from_mesh * inverse(skin.joint_from_bind[joint]);
    if (!isFinite(link)) link = worlds_[toSize(node)];
    world_at_bind_.emplace(node, link);
    std::vector<NewElement> elements = {leaf("Version", std::int32_t{100})};
    elements.push_back({"UserData", {std::string(), std::string()}, {}, false});
    if (!weights.vertices.empty()) {
      elements.push_back(leaf("Indexes", std::move(weights.vertices)));
      elements.push_back(leaf("Weights", std::move(weights.weights)));
    }
    elements.push_back(matrixElement("Transform", skin.joint_from_bind[joint]));
    elements.push_back(matrixElement("TransformLink", link));
    const std::int64_t id =
        add("Deformer", nameOf(node), "SubDeformer", "Cluster", std::move(elements));
    objects_.connect(id, document_.object(skin_object).id);
    objects_.connect(idOf(node), id);
  }

  void addToBindPoses() {
    std::set<std::int64_t> bound;
    for (const int node : patched_) {
      bound.insert(idOf(node));
      for (const SkinnedMesh& mesh : before_.meshes) {
        if (mesh.node != node) continue;
        const Skin& skin = before_.skins[toSize(mesh.skin)];
        for (const int joint : skin.joints) bound.insert(idOf(joint));
      }
    }
    for (const Object& object : document_.objects) {
      if (object.type == "Pose" && object.subtype == "BindPose") addToPose(object.element, bound);
    }
  }

  void addToPose(const Element& pose, const std::set<std::int64_t>& bound) {
    std::set<std::int64_t> present;
    for (const Element entry : pose.children()) {
      const auto node = entry.name() == "PoseNode" ? entry.child("Node") : std::nullopt;
      if (node) present.insert(node->integer(0).value_or(0));
    }
    const bool holds_skin =
        std::ranges::any_of(present, [&](std::int64_t id) { return bound.contains(id); });
    if (!holds_skin) return;
    std::vector<NewElement> entries;
    for (const auto& [node, world] : world_at_bind_) {
      if (present.contains(idOf(node))) continue;
      entries.push_back(
          block("PoseNode", {leaf("Node", idOf(node)), matrixElement("Matrix", world)}));
    }
    if (entries.empty()) return;
    if (const auto count = pose.child("NbPoseNodes")) {
      changeCount(*count, std::ssize(entries), edits_);
    }
    edits_.appended[pose.index()] = std::move(entries);
  }

  const Document& document_;
  const ReadScene& read_;
  const Scene& before_;
  const Scene after_;
  NewObjects objects_;
  TreeEdits edits_;
  std::vector<Affine> worlds_;  // of after_, at rest
  std::vector<std::int64_t> new_ids_;
  std::vector<int> patched_;
  std::map<int, Affine> world_at_bind_;  // of joints with new clusters
};

}  // namespace

Result<Bytes> patchJoints(const Document& document, const ReadScene& read, const Scene& scene,
                          const Additions& additions) {
  CLIPMILL_CHECK(document.checkGrowth());
  CLIPMILL_CHECK(checkAdditions(scene, additions));
  return JointPatcher(document, read, scene, additions).patch(additions.weights);
}

}  // namespace clipmill::io::fbx
