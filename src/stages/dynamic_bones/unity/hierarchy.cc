// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/unity/hierarchy.h"

#include <cmath>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones::unity {
namespace {

bool isTransform(const Object& object) {
  return !object.is_stripped &&
         (object.class_id == kTransform || object.class_id == kRectTransform);
}

// Indices of transforms, parents before children; those in a cycle are left out.
std::vector<std::size_t> parentFirst(const std::vector<const Object*>& transforms,
                                     const std::map<std::string, std::size_t>& index_of_id,
                                     std::vector<int>& parent) {
  std::vector<std::vector<std::size_t>> children(transforms.size());
  std::vector<std::size_t> open;
  parent.assign(transforms.size(), -1);
  for (std::size_t i = transforms.size(); i-- > 0;) {
    const auto above = index_of_id.find(transforms[i]->fields["m_Father"].fileId());
    if (above == index_of_id.end()) {
      open.push_back(i);
      continue;
    }
    parent[i] = static_cast<int>(above->second);
    children[above->second].push_back(i);
  }
  std::vector<std::size_t> order;
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    order.push_back(i);
    open.insert(open.end(), children[i].begin(), children[i].end());
  }
  return order;
}

}  // namespace

Hierarchy::Hierarchy(const std::vector<Object>& objects) {
  std::map<std::string, std::string> name_of_game_object;
  std::map<std::string, std::size_t> index_of_id;
  std::vector<const Object*> transforms;
  for (const Object& object : objects) {
    if (object.class_id == kGameObject && !object.is_stripped) {
      name_of_game_object[object.id] = object.fields["m_Name"].text;
    }
    if (!isTransform(object)) continue;
    index_of_id.try_emplace(object.id, transforms.size());
    transforms.push_back(&object);
  }
  std::vector<int> parent, node_of(transforms.size(), -1);
  for (std::size_t i : parentFirst(transforms, index_of_id, parent)) {
    const Value& fields = transforms[i]->fields;
    const std::string game_object = fields["m_GameObject"].fileId();
    const auto name = name_of_game_object.find(game_object);
    if (name == name_of_game_object.end() || name->second.empty()) continue;
    Node node;
    node.name = name->second;
    node.parent = parent[i] < 0 ? -1 : node_of[toSize(parent[i])];
    node.source_id = static_cast<int>(skeleton_.size());
    node.rest.translation = fields["m_LocalPosition"].vector();
    node.rest.scale = fields["m_LocalScale"].vector(Vec3(1.0));
    node_of[i] = node.source_id;
    const Vec3 above = node.parent < 0 ? Vec3(1.0) : scaleOf(node.parent);
    scales_.push_back(glm::abs(above * node.rest.scale));
    node_of_id_[transforms[i]->id] = node.source_id;
    node_of_id_[game_object] = node.source_id;
    skeleton_.nodes.push_back(std::move(node));
  }
  children_ = clipmill::childrenOf(skeleton_);
  references_ = std::make_unique<dynamic_bones::NodeReferences>(skeleton_);
  for (const Object& object : objects) {
    if (object.class_id != kMonoBehaviour) continue;
    const int node = nodeOf(object.fields["m_GameObject"].fileId());
    if (node >= 0) node_of_id_[object.id] = node;
  }
}

int Hierarchy::nodeOf(const std::string& id) const {
  const auto found = node_of_id_.find(id);
  return id.empty() || found == node_of_id_.end() ? -1 : found->second;
}

double Hierarchy::lengthOf(int node) const {
  const Node& self = skeleton_.nodes[toSize(node)];
  const Vec3 above = self.parent < 0 ? Vec3(1.0) : scaleOf(self.parent);
  const Vec3 bone = above * self.rest.translation;
  return dynamic_bones::usableLength(std::sqrt(glm::dot(bone, bone)));
}

std::string Hierarchy::globOf(int node) const {
  const std::string glob = references_->glob(node);
  const std::string& name = skeleton_.nodes[toSize(node)].name;
  if (glob.starts_with('#') && !name.starts_with('#')) return "";
  // Of a path, the part below the topmost node, which has the name of the prefab.
  const std::size_t slash = glob.find('/');
  if (slash == std::string::npos) return glob;
  const std::string below = glob.substr(slash + 1);
  return below.find('/') == std::string::npos ? "*/" + below : "*" + below;
}

}  // namespace clipmill::stages::dynamic_bones::unity
