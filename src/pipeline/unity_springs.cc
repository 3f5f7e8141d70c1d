// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/unity_springs.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "pipeline/unity_chains.h"
#include "pipeline/unity_colliders.h"

namespace clipmill::unity {
namespace {

constexpr std::size_t kMostLinks = 100000;  // from chains to colliders

bool isSpring(Kind kind) {
  return kind == Kind::kDynamicBone || kind == Kind::kPhysBone || kind == Kind::kVrmSpring;
}

// A chain to be made: a component and one of the nodes at which it begins.
struct Beginning {
  const Object* object = nullptr;
  Kind kind = Kind::kNone;
  int root = 0;
};

class SpringReader {
 public:
  SpringReader(const std::vector<Object>& objects, DynamicBonesSettings& settings)
      : objects_(objects),
        figure_(objects),
        settings_(settings),
        colliders_(objects, figure_, notes_, settings.collider) {}

  Result<std::vector<std::string>> read() {
    findBeginnings();
    CLIPMILL_CHECK(checkFound());
    ChainMaker maker(figure_, notes_);
    for (const Beginning& beginning : beginnings_) {
      ChainSettings chain = maker.make(beginning.kind, beginning.object->fields, beginning.root,
                                       skippedBy(beginning));
      CLIPMILL_CHECK(setColliders(beginning, chain));
      checkCenter(beginning, chain);
      ++chain_counts_[beginning.kind];
      settings_.chain.push_back(std::move(chain));
    }
    return notes();
  }

 private:
  const Node& nodeAt(int index) const {
    return figure_.skeleton().nodes[static_cast<std::size_t>(index)];
  }

  void findBeginnings() {
    for (const Object& object : objects_) {
      if (object.class_id != kMonoBehaviour) continue;
      const Kind kind = kindOf(object.fields);
      if (kind == Kind::kVrm1Joint) {
        notes_.count("joint of VRM 1.0 in Unity: not read; take the .vrm file");
      }
      if (!isSpring(kind)) continue;
      ++component_count_;
      if (object.fields["m_Enabled"].number(1.0) == 0.0) {
        notes_.count("component that is switched off: left out");
        continue;
      }
      for (int root : rootsOf(kind, object)) begin({&object, kind, root});
    }
  }

  void begin(const Beginning& beginning) {
    if (beginning.root < 0) {
      return notes_.count("spring on a bone that the text only refers to: left out");
    }
    if (figure_.globOf(beginning.root).empty()) {
      return notes_.count("spring on a bone that no name tells from others: left out");
    }
    if (!roots_.insert(beginning.root).second) {
      return notes_.count("second spring on a bone: left out");
    }
    beginnings_.push_back(beginning);
  }

  // -1 for those that the text does not hold.
  std::vector<int> rootsOf(Kind kind, const Object& object) const {
    const Value& fields = object.fields;
    std::vector<std::string> ids;
    const auto addId = [&](const Value& value) {
      const std::string id = value.fileId();
      if (!id.empty()) ids.push_back(id);
    };
    if (kind == Kind::kPhysBone) addId(fields["rootTransform"]);
    if (kind == Kind::kDynamicBone) {
      addId(fields["m_Root"]);
      for (const Value& root : fields["m_Roots"].items) addId(root);
    }
    for (const Value& root : fields["RootBones"].items) addId(root);
    if (ids.empty() && kind != Kind::kVrmSpring) ids.push_back(object.id);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::vector<int> roots;
    for (const std::string& id : ids) roots.push_back(figure_.nodeOf(id));
    std::sort(roots.begin(), roots.end());
    return roots;
  }

  // What the component leaves to itself, and what other chains begin with.
  std::set<int> skippedBy(const Beginning& beginning) const {
    std::set<int> skipped;
    const bool is_phys = beginning.kind == Kind::kPhysBone;
    const char* list = is_phys ? "ignoreTransforms" : "m_Exclusions";
    for (const Value& reference : beginning.object->fields[list].items) {
      const int node = figure_.nodeOf(reference.fileId());
      if (node >= 0) skipped.insert(node);
    }
    for (int root : roots_) {
      int above = nodeAt(root).parent;
      while (above >= 0 && !roots_.contains(above)) above = nodeAt(above).parent;
      if (above == beginning.root) skipped.insert(root);
    }
    return skipped;
  }

  Status setColliders(const Beginning& beginning, ChainSettings& chain) {
    const char* list = beginning.kind == Kind::kDynamicBone ? "m_Colliders"
                       : beginning.kind == Kind::kPhysBone  ? "colliders"
                                                            : "ColliderGroups";
    chain.colliders.clear();
    for (const Value& reference : beginning.object->fields[list].items) {
      const std::vector<std::string>& names = colliders_.namesOf(reference.fileId());
      chain.colliders.insert(chain.colliders.end(), names.begin(), names.end());
      link_count_ += names.size();
      if (link_count_ > kMostLinks) {
        return Error{
            ErrorCode::kLimit, "object " + beginning.object->id,
            "the springs have more than " + std::to_string(kMostLinks) + " links to colliders", ""};
      }
    }
    if (chain.colliders.empty()) chain.colliders = {"none"};
    return {};
  }

  // A node at or below the beginning of a chain goes where that takes it.
  void checkCenter(const Beginning& beginning, ChainSettings& chain) {
    for (int i = figure_.nodeOf(beginning.object->fields["m_center"].fileId()); i >= 0;
         i = nodeAt(i).parent) {
      if (!roots_.contains(i)) continue;
      chain.inertia_node.clear();
      chain.inertia_move = chain.inertia_turn = 1.0;
      return notes_.count("centre that a chain moves itself: left out");
    }
  }

  Status checkFound() const {
    if (!beginnings_.empty()) return {};
    if (component_count_ == 0) {
      return Error{ErrorCode::kNotFound, "", "the text holds no springs that are known",
                   "save the prefab that carries DynamicBone, VRCPhysBone or VRMSpringBone"};
    }
    return Error{ErrorCode::kUnsupported, "",
                 "its springs are on bones of a model that the text only refers to, or are off",
                 "unpack the prefab completely in Unity and save it again"};
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    const auto note = [&](Kind kind, const char* name) {
      const auto count = chain_counts_.find(kind);
      if (count == chain_counts_.end()) return;
      notes.push_back(counted(count->second, "chain") + " of " + name);
    };
    note(Kind::kDynamicBone, "DynamicBone");
    note(Kind::kPhysBone, "VRCPhysBone");
    note(Kind::kVrmSpring, "VRMSpringBone");
    notes.push_back(counted(settings_.collider.size(), "collider"));
    const std::vector<std::string> more = notes_.lines();
    notes.insert(notes.end(), more.begin(), more.end());
    return notes;
  }

  const std::vector<Object>& objects_;
  Figure figure_;
  DynamicBonesSettings& settings_;
  Notes notes_;
  Colliders colliders_;
  std::vector<Beginning> beginnings_;
  std::set<int> roots_;
  std::map<Kind, std::size_t> chain_counts_;
  std::size_t component_count_ = 0, link_count_ = 0;
};

}  // namespace

Result<std::vector<std::string>> addUnitySprings(std::string_view text, std::uint64_t max_bytes,
                                                 DynamicBonesSettings& settings) {
  CLIPMILL_TRY(const std::vector<Object> objects, readObjects(text, max_bytes));
  return SpringReader(objects, settings).read();
}

}  // namespace clipmill::unity
