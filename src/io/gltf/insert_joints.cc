// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Chapters 3.5.2 (nodes) and 3.7.3 (skins) of the glTF 2.0 specification.
#include "io/gltf/insert_joints.h"

#include <algorithm>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "anim/pose.h"
#include "core/to_size.h"
#include "io/gltf/append_data.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/write_parts.h"

namespace clipmill::io::gltf {
namespace {

using json_text::Edits;
using json_text::Span;

// Nodes that replace others in a list of nodes, by glTF index.
struct ListChange {
  std::vector<int> removed, added;
};

class JointInserter {
 public:
  JointInserter(const Document& document, const Scene& scene, const JointInsertion& insertion)
      : document_(document),
        json_(*document.json),
        scene_(scene),
        insertion_(insertion),
        edits_(document.text),
        node_spans_(elementSpans(document, "nodes")),
        first_node_(json_.at("nodes").size()),
        first_accessor_(Fields(json_, "").array("accessors").size()),
        first_view_(Fields(json_, "").array("bufferViews").size()) {
    computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, {}, worlds_);
    for (const InsertedJoint& joint : insertion.joints) {
      const Affine above = joint.parent < 0 ? Affine() : worlds_[toSize(joint.parent)];
      worlds_.push_back(above * toAffine(joint.rest));
    }
  }

  Result<Bytes> insert() {
    std::map<int, ListChange> changes;  // by node of the scene, -1 for the scene itself
    std::vector<std::string> nodes;
    for (std::size_t j = 0; j < insertion_.joints.size(); ++j) {
      const InsertedJoint& joint = insertion_.joints[j];
      nodes.push_back(nodeText(j));
      if (joint.parent >= static_cast<int>(scene_.skeleton.size())) continue;
      ListChange& change = changes[joint.parent];
      change.added.push_back(indexOf(static_cast<int>(scene_.skeleton.size() + j)));
      for (const int node : joint.adopted) change.removed.push_back(indexOf(node));
    }
    for (const auto& [parent, change] : changes) {
      if (parent < 0) {
        changeScenes(change);
      } else {
        changeChildren(indexOf(parent), change);
      }
    }
    extendSkins();
    return appendData(document_, std::move(edits_), newData(std::move(nodes)));
  }

 private:
  int indexOf(int node) const {
    const auto n = toSize(node), known = scene_.skeleton.size();
    return n < known ? scene_.skeleton.nodes[n].source_id
                     : static_cast<int>(first_node_ + n - known);
  }

  std::string nodeText(std::size_t joint) const {
    const int self = static_cast<int>(scene_.skeleton.size() + joint);
    std::vector<int> children;
    for (const int node : insertion_.joints[joint].adopted) children.push_back(indexOf(node));
    for (std::size_t k = joint + 1; k < insertion_.joints.size(); ++k) {
      if (insertion_.joints[k].parent != self) continue;
      children.push_back(indexOf(static_cast<int>(scene_.skeleton.size() + k)));
    }
    Node node;
    node.name = insertion_.joints[joint].name;
    node.rest = insertion_.joints[joint].rest;
    return glb_writer::nodeJson(node, children).dump();
  }

  // The list with new nodes where the first removed one was, or at its end.
  static std::string listText(const Json& list, const ListChange& change) {
    std::vector<std::string> texts;
    bool is_done = false;
    const auto addNew = [&] {
      for (const int node : change.added) texts.push_back(std::to_string(node));
      is_done = true;
    };
    for (const Json& element : list) {
      const int node = element.get<int>();
      if (std::find(change.removed.begin(), change.removed.end(), node) == change.removed.end()) {
        texts.push_back(std::to_string(node));
      } else if (!is_done) {
        addNew();
      }
    }
    if (!is_done) addNew();
    return json_text::arrayText(texts);
  }

  void changeChildren(int parent, const ListChange& change) {
    const std::string text =
        listText(Fields(json_.at("nodes").at(toSize(parent)), "").array("children"), change);
    const Edits::Change member = {"children", text};
    edits_.changeObject(node_spans_[toSize(parent)], std::span(&member, 1));
  }

  void changeScenes(const ListChange& change) {
    const Json& scenes = Fields(json_, "").array("scenes");
    for (std::size_t s = 0; s < scenes.size(); ++s) {
      const Json& list = Fields(scenes[s], "").array("nodes");
      const bool has_any = std::any_of(list.begin(), list.end(), [&](const Json& node) {
        return std::find(change.removed.begin(), change.removed.end(), node.get<int>()) !=
               change.removed.end();
      });
      if (!has_any) continue;
      const Edits::Change member = {"nodes", listText(list, change)};
      edits_.changeObject(elementSpan(document_, "scenes", s), std::span(&member, 1));
    }
  }

  // A skeleton root that is now below a new joint is no common ancestor of all joints any more.
  std::optional<int> skeletonOf(std::size_t skin) const {
    const int root =
        static_cast<int>(Fields(json_.at("skins").at(skin), "").integer("skeleton", -1, -1));
    const int node = root < 0 ? -1 : findSource(scene_.skeleton, root);
    if (node < 0) return std::nullopt;
    for (std::size_t j = 0; j < insertion_.joints.size(); ++j) {
      for (const int adopted : insertion_.joints[j].adopted) {
        if (isAtOrBelow(scene_.skeleton, node, adopted)) {
          return indexOf(static_cast<int>(scene_.skeleton.size() + j));
        }
      }
    }
    return std::nullopt;
  }

  void extendSkins() {
    for (std::size_t s = 0; s < scene_.skins.size(); ++s) {
      Skin skin = scene_.skins[s];
      const auto anchor = std::find(skin.joints.begin(), skin.joints.end(), insertion_.anchor);
      if (anchor == skin.joints.end()) continue;
      const std::size_t at = toSize(anchor - skin.joints.begin());
      const Affine world_from_mesh = worlds_[toSize(insertion_.anchor)] * skin.joint_from_bind[at];
      std::vector<std::string> added;
      for (std::size_t j = 0; j < insertion_.joints.size(); ++j) {
        const std::size_t node = scene_.skeleton.size() + j;
        skin.joints.push_back(static_cast<int>(node));
        skin.joint_from_bind.push_back(inverse(worlds_[node]) * world_from_mesh);
        added.push_back(std::to_string(indexOf(static_cast<int>(node))));
      }
      const Span object = elementSpan(document_, "skins", s);
      const auto members = json_text::membersOf(document_.text, object);
      edits_.appendElements(*json_text::findMember(members, "joints"), added);
      const int accessor = glb_writer::addBindMatrices(skin, buffer_);
      std::vector<Edits::Change> changes = {
          {"inverseBindMatrices", std::to_string(first_accessor_ + toSize(accessor))}};
      if (const auto root = skeletonOf(s)) changes.emplace_back("skeleton", std::to_string(*root));
      edits_.changeObject(object, changes);
    }
  }

  NewData newData(std::vector<std::string> nodes) const {
    NewData data{buffer_.bytes(), {}, {}};
    for (const glb_writer::BufferView& view : buffer_.views()) {
      data.views.push_back({view.offset, view.length, ""});
    }
    std::vector<std::string> accessors;
    for (const glb_writer::Accessor& accessor : buffer_.accessors()) {
      accessors.push_back(glb_writer::accessorJson(accessor, first_view_).dump());
    }
    data.elements = {{"accessors", std::move(accessors)}, {"nodes", std::move(nodes)}};
    return data;
  }

  const Document& document_;
  const Json& json_;
  const Scene& scene_;
  const JointInsertion& insertion_;
  Edits edits_;
  std::vector<Span> node_spans_;
  std::size_t first_node_, first_accessor_, first_view_;
  std::vector<Affine> worlds_;  // at rest, of the nodes and the new joints
  glb_writer::BufferBuilder buffer_;
};

}  // namespace

Result<Bytes> insertJoints(const Document& document, const Scene& scene,
                           const JointInsertion& insertion) {
  return JointInserter(document, scene, insertion).insert();
}

}  // namespace clipmill::io::gltf
