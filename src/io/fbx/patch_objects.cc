// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/patch_objects.h"

#include <algorithm>
#include <limits>

#include "core/to_size.h"
#include "io/fbx/new_curve.h"
#include "io/fbx/read_shapes.h"

namespace clipmill::io::fbx {

void changeCount(const Element& count, std::int64_t change, TreeEdits& edits) {
  if (change == 0) return;
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  const std::int64_t before = std::clamp<std::int64_t>(count.integer(0).value_or(0), 0, kLargest);
  const std::int64_t after = std::clamp<std::int64_t>(before + change, 0, kLargest);
  edits.values[count.index()] = {static_cast<std::int32_t>(after)};
}

NewObjects::NewObjects(const Document& document) : tree_(*document.tree) {
  for (const Object& object : document.objects) used_.insert(object.id);
  const std::int64_t largest = used_.empty() ? 0 : *used_.rbegin();
  constexpr std::int64_t kMaxId = std::int64_t{1} << 62;
  next_ = std::max<std::int64_t>(largest < kMaxId ? largest + 1 : 1, 1'000'000);
}

std::int64_t NewObjects::newId() {
  while (used_.contains(next_)) ++next_;
  return next_++;
}

void NewObjects::add(NewElement object) {
  ++count_change_[object.name];
  objects_.push_back(std::move(object));
}

void NewObjects::connect(std::int64_t child, std::int64_t parent) {
  connections_.push_back(connectionElement(child, parent));
}

void NewObjects::connect(std::int64_t child, std::int64_t parent, const std::string& property) {
  connections_.push_back(connectionElement(child, parent, property));
}

void NewObjects::finish(TreeEdits& edits) {
  append("Objects", std::move(objects_), edits);
  append("Connections", std::move(connections_), edits);
  updateCounts(edits);
}

void NewObjects::append(const char* root, std::vector<NewElement> elements,
                        TreeEdits& edits) const {
  if (elements.empty()) return;
  const auto block = tree_.root(root);
  if (!block) {
    edits.appended_roots.push_back({root, {}, std::move(elements), true});
    return;
  }
  auto& list = edits.appended[block->index()];
  for (NewElement& element : elements) list.push_back(std::move(element));
}

// Definitions store the number of objects of each type.
void NewObjects::updateCounts(TreeEdits& edits) {
  const auto definitions = tree_.root("Definitions");
  if (!definitions) return;
  std::int64_t total_change = 0;
  for (const Element type : definitions->children()) {
    if (type.name() != "ObjectType") continue;
    const auto change = count_change_.find(type.text(0).value_or(""));
    const auto count = type.child("Count");
    if (change == count_change_.end() || !count) continue;
    changeCount(*count, change->second, edits);
    total_change += change->second;
    count_change_.erase(change);
  }
  for (const auto& [type, change] : count_change_) {
    if (change <= 0) continue;
    NewElement count{"Count", {static_cast<std::int32_t>(change)}, {}, false};
    edits.appended[definitions->index()].push_back(
        {"ObjectType", {type}, {std::move(count)}, false});
    total_change += change;
  }
  if (const auto total = definitions->child("Count")) changeCount(*total, total_change, edits);
}

std::set<int> usersOf(const Document& document, int child, std::string_view type) {
  std::set<int> users;
  for (const int c : document.parents[toSize(child)]) {
    const Connection& connection = document.connections[toSize(c)];
    if (connection.parent < 0 || !connection.property.empty()) continue;
    if (document.object(connection.parent).type == type) users.insert(connection.parent);
  }
  return users;
}

Result<int> ownGeometryOf(const Document& document, int model) {
  const int geometry = geometryOf(document, model);
  if (geometry < 0)
    return Error{ErrorCode::kInternal, "", "has no mesh to add morphs or weights to", ""};
  if (document.object(geometry).type != "Geometry") {
    return Error{ErrorCode::kUnsupported, "",
                 "stores its mesh in the node, to which no deformer can be connected",
                 "open and save it in a newer program"};
  }
  if (usersOf(document, geometry, "Model").size() == 1) return geometry;
  return Error{ErrorCode::kUnsupported, "",
               "shares its mesh with other nodes; a new deformer would deform all of them",
               "give each node its own mesh and export again"};
}

std::string objectName(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '_');
  return name;
}

}  // namespace clipmill::io::fbx
