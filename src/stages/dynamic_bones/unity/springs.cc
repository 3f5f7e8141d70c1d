// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/unity/springs.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/unity/chains.h"
#include "stages/dynamic_bones/unity/colliders.h"

namespace clipmill::stages::dynamic_bones::unity {
namespace {

constexpr std::size_t kMaxReferences = 100000;  // from chains to colliders

bool isSpring(Kind kind) {
  return kind == Kind::kDynamicBone || kind == Kind::kPhysBone || kind == Kind::kVrmSpring;
}

// A chain to be made: a component and one of the nodes at which it starts.
struct Start {
  const Object* object = nullptr;
  Kind kind = Kind::kNone;
  int root = 0;
};

class SpringReader {
 public:
  SpringReader(const std::vector<Object>& objects, DynamicBonesSettings& settings)
      : objects_(objects),
        hierarchy_(objects),
        settings_(settings),
        colliders_(objects, hierarchy_, notes_, settings.collider) {}

  Result<std::vector<std::string>> read() {
    findStarts();
    CLIPMILL_CHECK(checkFound());
    ChainMaker maker(hierarchy_, notes_);
    for (const Start& start : starts_) {
      ChainSettings chain =
          maker.make(start.kind, start.object->fields, start.root, skippedBy(start));
      CLIPMILL_CHECK(setColliders(start, chain));
      checkCenter(start, chain);
      ++chain_counts_[start.kind];
      settings_.chain.push_back(std::move(chain));
    }
    return notes();
  }

 private:
  const Node& nodeAt(int index) const { return hierarchy_.skeleton().nodes[toSize(index)]; }

  void findStarts() {
    for (const Object& object : objects_) {
      if (object.class_id != kMonoBehaviour) continue;
      const Kind kind = kindOf(object.fields);
      if (kind == Kind::kVrm1Joint) {
        notes_.count("joint of VRM 1.0 in Unity: not supported; use the .vrm file");
      }
      if (!isSpring(kind)) continue;
      ++component_count_;
      if (object.fields["m_Enabled"].number(1.0) == 0.0) {
        notes_.count("disabled component: left out");
        continue;
      }
      for (int root : rootsOf(kind, object)) addStart({&object, kind, root});
    }
  }

  void addStart(const Start& start) {
    if (start.root < 0) {
      return notes_.count("spring on a bone of another file: left out");
    }
    if (hierarchy_.globOf(start.root).empty()) {
      return notes_.count("spring on a bone without a unique name or path: left out");
    }
    if (!roots_.insert(start.root).second) {
      return notes_.count("second spring on a bone: left out");
    }
    starts_.push_back(start);
  }

  // -1 for nodes of another file.
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
    for (const std::string& id : ids) roots.push_back(hierarchy_.nodeOf(id));
    std::sort(roots.begin(), roots.end());
    return roots;
  }

  // The exclusions of the component, and the roots of other chains below it.
  std::set<int> skippedBy(const Start& start) const {
    std::set<int> skipped;
    const bool is_phys = start.kind == Kind::kPhysBone;
    const char* list = is_phys ? "ignoreTransforms" : "m_Exclusions";
    for (const Value& reference : start.object->fields[list].items) {
      const int node = hierarchy_.nodeOf(reference.fileId());
      if (node >= 0) skipped.insert(node);
    }
    for (int root : roots_) {
      int above = nodeAt(root).parent;
      while (above >= 0 && !roots_.contains(above)) above = nodeAt(above).parent;
      if (above == start.root) skipped.insert(root);
    }
    return skipped;
  }

  Status setColliders(const Start& start, ChainSettings& chain) {
    const char* list = start.kind == Kind::kDynamicBone ? "m_Colliders"
                       : start.kind == Kind::kPhysBone  ? "colliders"
                                                        : "ColliderGroups";
    chain.colliders.clear();
    for (const Value& reference : start.object->fields[list].items) {
      const std::vector<std::string>& names = colliders_.namesOf(reference.fileId());
      chain.colliders.insert(chain.colliders.end(), names.begin(), names.end());
      link_count_ += names.size();
      if (link_count_ > kMaxReferences) {
        return Error{ErrorCode::kLimit, "object " + start.object->id,
                     "the springs have more than " + std::to_string(kMaxReferences) +
                         " references to colliders",
                     "use fewer colliders per spring"};
      }
    }
    if (chain.colliders.empty()) chain.colliders = {"none"};
    return {};
  }

  // Drops a center that a chain moves.
  void checkCenter(const Start& start, ChainSettings& chain) {
    for (int i = hierarchy_.nodeOf(start.object->fields["m_center"].fileId()); i >= 0;
         i = nodeAt(i).parent) {
      if (!roots_.contains(i)) continue;
      chain.inertia_node.reset();
      chain.inertia_translation = chain.inertia_rotation = 1.0;
      return notes_.count("center that a chain moves: left out");
    }
  }

  Status checkFound() const {
    if (!starts_.empty()) return {};
    if (component_count_ == 0) {
      return Error{ErrorCode::kNotFound, "", "the file has no supported springs",
                   "save the prefab that has DynamicBone, VRCPhysBone or VRMSpringBone components"};
    }
    return Error{ErrorCode::kUnsupported, "",
                 "its springs are on bones of another file, or are disabled",
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
  Hierarchy hierarchy_;
  DynamicBonesSettings& settings_;
  Notes notes_;
  Colliders colliders_;
  std::vector<Start> starts_;
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

}  // namespace clipmill::stages::dynamic_bones::unity
