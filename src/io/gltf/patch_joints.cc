// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Chapter 3.7.3 (skins) of the glTF 2.0 specification.
#include "io/gltf/patch_joints.h"

#include <algorithm>
#include <map>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/append_data.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/replaceable_data.h"
#include "io/gltf/write_parts.h"

namespace clipmill::io::gltf {
namespace {

using glb_writer::BufferBuilder;
using json_text::Edits;
using json_text::Span;
using Changes = std::vector<Edits::Change>;

// What JOINTS_n of 16 bits can name.
constexpr std::size_t kMostJoints = 65536;

class JointPatcher {
 public:
  JointPatcher(const Document& document, const Scene& scene, const Additions& additions)
      : document_(document),
        json_(*document.json),
        before_(scene),
        after_(withAdditions(scene, {{}, {}, additions.joints, additions.weights})),
        edits_(document.text),
        node_spans_(elementSpans(document, "nodes")),
        first_accessor_(Fields(json_, "").array("accessors").size()),
        first_view_(Fields(json_, "").array("bufferViews").size()),
        replaceable_(document) {}

  Result<Bytes> patch(std::span<const AddedWeights> weights) {
    addNodes();
    CLIPMILL_CHECK(extendSkins());
    for (const AddedWeights& added : weights) replaceWeights(added.node);
    if (!buffer_.allFinite()) {
      return Error{ErrorCode::kUnsupported, "",
                   "gets an inverse bind matrix that 32-bit floats cannot store", ""};
    }
    editNodes();
    return appendData(document_, std::move(edits_), newData());
  }

 private:
  const Node& nodeAt(int node) const { return after_.skeleton.nodes[toSize(node)]; }

  void addNodes() {
    const std::vector<std::vector<int>> children = childrenOf(after_.skeleton);
    const std::size_t known = before_.skeleton.size();
    for (std::size_t n = 0; n < after_.skeleton.size(); ++n) {
      std::vector<int> new_children;
      for (const int child : children[n]) {
        if (toSize(child) >= known) {
          new_children.push_back(nodeAt(child).source_id);
        }
      }
      const Node& node = after_.skeleton.nodes[n];
      if (n >= known) {
        new_nodes_.push_back(textOf(glb_writer::nodeJson(node, new_children)));
      } else if (!new_children.empty()) {
        addChildren(node.source_id, new_children);
      }
    }
  }

  void addChildren(int source, const std::vector<int>& children) {
    const Span node = node_spans_[toSize(source)];
    const auto members = json_text::membersOf(document_.text, node);
    const std::vector<std::string> texts = textsOf(children);
    if (const auto array = json_text::findMember(members, "children")) {
      edits_.appendElements(*array, texts);
    } else {
      node_changes_[source].emplace_back("children", json_text::arrayText(texts));
    }
  }

  Status extendSkins() {
    for (std::size_t s = 0; s < after_.skins.size(); ++s) {
      const Skin& skin = after_.skins[s];
      const std::size_t known = before_.skins[s].joints.size();
      if (skin.joints.size() == known) continue;
      if (skin.joints.size() > kMostJoints) {
        return Error{ErrorCode::kUnsupported, elementLocation("skins", s),
                     "gets more joints than a skin can have", ""};
      }
      std::vector<int> added;
      for (std::size_t j = known; j < skin.joints.size(); ++j) {
        added.push_back(nodeAt(skin.joints[j]).source_id);
      }
      const Span object = elementSpan(document_, "skins", s);
      const auto members = json_text::membersOf(document_.text, object);
      edits_.appendElements(*json_text::findMember(members, "joints"), textsOf(added));
      const Changes changes = {
          {"inverseBindMatrices",
           std::to_string(newIndex(glb_writer::addBindMatrices(skin, buffer_)))}};
      edits_.changeObject(object, changes);
    }
    return {};
  }

  void replaceWeights(int node) {
    const int source = nodeAt(node).source_id;
    const Json& json = json_.at("nodes").at(toSize(source));
    const auto mesh = toSize(Fields(json, "").integer("mesh", 0));
    std::string text = meshText(node, mesh);
    if (nodesShowing(document_, mesh) == 1) {
      edits_.replace(elementSpan(document_, "meshes", mesh), std::move(text));
      return;
    }
    const std::size_t copy = json_.at("meshes").size() + new_meshes_.size();
    node_changes_[source].emplace_back("mesh", std::to_string(copy));
    new_meshes_.push_back(std::move(text));
  }

  // Primitives of one mesh with the same weights. They may share their vertices.
  struct SameWeights {
    const SkinnedMesh* first = nullptr;
    std::vector<int> primitives;
  };

  std::vector<SameWeights> weightsOf(int node) const {
    std::vector<SameWeights> groups;
    for (const SkinnedMesh& mesh : after_.meshes) {
      if (mesh.node != node) continue;
      auto same = std::find_if(groups.begin(), groups.end(), [&](const SameWeights& group) {
        return haveSameInfluences(*group.first, mesh);
      });
      if (same == groups.end()) same = groups.insert(same, {&mesh, {}});
      same->primitives.push_back(mesh.primitive);
    }
    return groups;
  }

  // The mesh with other weights; all else character for character.
  std::string meshText(int node, std::size_t index) {
    const Span span = elementSpan(document_, "meshes", index);
    const std::string_view text = document_.text.substr(span.start, span.end - span.start);
    const auto members = json_text::membersOf(text, json_text::rootOf(text));
    const auto primitives =
        json_text::elementsOf(text, *json_text::findMember(members, "primitives"));
    const bool is_own = nodesShowing(document_, index) == 1;
    Edits edits(text);
    for (const SameWeights& group : weightsOf(node)) {
      const Changes weights = storeWeights(group, index, is_own);
      for (const int p : group.primitives) {
        const auto of_primitive = json_text::membersOf(text, primitives[toSize(p)]);
        const Span attributes = *json_text::findMember(of_primitive, "attributes");
        edits.changeObject(attributes,
                           weightChanges(json_text::membersOf(text, attributes), weights));
      }
    }
    return edits.apply();
  }

  static bool haveSameInfluences(const SkinnedMesh& a, const SkinnedMesh& b) {
    const auto same = [](const Influence& x, const Influence& y) {
      return x.joint == y.joint && x.weight == y.weight;
    };
    return a.influence_start == b.influence_start &&
           std::equal(a.influences.begin(), a.influences.end(), b.influences.begin(),
                      b.influences.end(), same);
  }

  // The attributes of the new weights. Those that take the position of the old ones keep their
  // accessors.
  Changes storeWeights(const SameWeights& group, std::size_t mesh, bool is_own) {
    const std::size_t joint_count = after_.skins[toSize(group.first->skin)].joints.size();
    const auto sets = glb_writer::influenceValuesOf(*group.first);
    Changes attributes;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const std::string joints = "JOINTS_" + std::to_string(i);
      const std::string weights = "WEIGHTS_" + std::to_string(i);
      int accessor = is_own ? sharedAccessor(group, mesh, joints) : -1;
      if (!replace(accessor, group.primitives.size(), sets[i].joints)) {
        accessor = newIndex(glb_writer::addJointIndices(sets[i].joints, joint_count, buffer_));
      }
      attributes.emplace_back(joints, std::to_string(accessor));
      accessor = is_own ? sharedAccessor(group, mesh, weights) : -1;
      if (!replace(accessor, group.primitives.size(), sets[i].weights)) {
        accessor = newIndex(glb_writer::addInfluenceWeights(sets[i].weights, buffer_));
      }
      attributes.emplace_back(weights, std::to_string(accessor));
    }
    return attributes;
  }

  // The accessor of an attribute that all primitives of the group have; -1 for several.
  int sharedAccessor(const SameWeights& group, std::size_t mesh, const std::string& name) const {
    int shared = -1;
    for (const int p : group.primitives) {
      const Json& primitive = json_.at("meshes")[mesh].at("primitives")[toSize(p)];
      const int accessor =
          Fields(primitive.at("attributes"), "").index(name.c_str(), first_accessor_);
      if (shared >= 0 && accessor != shared) return -1;
      shared = accessor;
    }
    return shared;
  }

  // Puts the numbers where those of the accessor are. False where they do not fit, or where
  // something else refers to these.
  template <class T>
  bool replace(int accessor, std::size_t uses, const std::vector<T>& numbers) {
    const auto location = replaceable_.locationOf(accessor, uses);
    constexpr bool kAreWeights = std::is_same_v<T, double>;
    if (!location || numbers.empty() || 4 * location->count != numbers.size()) return false;
    if ((location->component == glb_writer::Component::kF32) != kAreWeights) return false;
    BufferBuilder bytes;
    bytes.startView(glb_writer::ViewTarget::kVertices);
    if constexpr (kAreWeights) {
      bytes.addFloats(numbers, 4, glb_writer::Bounds::kNone);
    } else {
      const std::uint32_t most = *std::max_element(numbers.begin(), numbers.end());
      if (location->component == glb_writer::Component::kU8 && most > 255) return false;
      bytes.addIntegers(numbers, 4, location->component);
    }
    replaced_.emplace_back(location->offset, bytes.bytes());
    return true;
  }

  // Sets of weights that are not needed any more are removed.
  static Changes weightChanges(std::span<const json_text::Member> attributes,
                               const Changes& weights) {
    Changes changes = weights;
    for (const json_text::Member& member : attributes) {
      const bool is_weights =
          member.key.starts_with("JOINTS_") || member.key.starts_with("WEIGHTS_");
      const bool is_known = std::any_of(weights.begin(), weights.end(), [&](const auto& change) {
        return change.first == member.key;
      });
      if (is_weights && !is_known) changes.emplace_back(member.key, std::nullopt);
    }
    return changes;
  }

  void editNodes() {
    for (const auto& [source, changes] : node_changes_) {
      edits_.changeObject(node_spans_[toSize(source)], changes);
    }
  }

  NewData newData() const {
    NewData data{buffer_.bytes(), {}, {}};
    for (const glb_writer::BufferView& view : buffer_.views()) {
      const bool is_plain = view.target == glb_writer::ViewTarget::kData;
      const std::string target = std::to_string(static_cast<int>(view.target));
      data.views.push_back({view.offset, view.length, is_plain ? "" : ",\"target\":" + target});
    }
    std::vector<std::string> accessors;
    for (const glb_writer::Accessor& accessor : buffer_.accessors()) {
      accessors.push_back(textOf(glb_writer::accessorJson(accessor, first_view_)));
    }
    data.elements = {
        {"accessors", std::move(accessors)}, {"nodes", new_nodes_}, {"meshes", new_meshes_}};
    data.replaced = replaced_;
    return data;
  }

  int newIndex(int accessor) const { return static_cast<int>(first_accessor_) + accessor; }

  static std::string textOf(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  static std::vector<std::string> textsOf(std::span<const int> numbers) {
    std::vector<std::string> texts;
    for (const int number : numbers) texts.push_back(std::to_string(number));
    return texts;
  }

  const Document& document_;
  const Json& json_;
  const Scene& before_;
  const Scene after_;
  Edits edits_;
  std::vector<Span> node_spans_;
  std::size_t first_accessor_, first_view_;
  ReplaceableData replaceable_;
  BufferBuilder buffer_;
  std::vector<std::pair<std::size_t, Bytes>> replaced_;
  std::vector<std::string> new_nodes_, new_meshes_;
  std::map<int, Changes> node_changes_;  // by glTF index
};

}  // namespace

Result<Bytes> patchJoints(const Document& document, const Scene& scene,
                          const Additions& additions) {
  CLIPMILL_CHECK(checkAdditions(scene, additions));
  return JointPatcher(document, scene, additions).patch(additions.weights);
}

}  // namespace clipmill::io::gltf
