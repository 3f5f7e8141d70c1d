// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/skeleton.h"

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill {

int findSource(const Skeleton& skeleton, int source_id) {
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    if (skeleton.nodes[i].source_id == source_id) return static_cast<int>(i);
  }
  return -1;
}

std::string pathOf(const Skeleton& skeleton, int node) {
  std::string path;
  for (int i = node; i >= 0; i = skeleton.nodes[toSize(i)].parent) {
    const std::string& name = skeleton.nodes[toSize(i)].name;
    path = i == node ? name : name + "/" + path;
  }
  return path;
}

std::vector<int> findNodes(const Skeleton& skeleton, std::string_view pattern) {
  const bool by_path = pattern.find('/') != std::string_view::npos;
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(skeleton.size()); ++i) {
    const std::string& name = skeleton.nodes[toSize(i)].name;
    if (matchesGlob(pattern, by_path ? pathOf(skeleton, i) : name)) found.push_back(i);
  }
  return found;
}

Error noSuchNode(const Skeleton& skeleton, const std::string& pattern,
                 const std::string& location) {
  std::vector<std::string> names;
  names.reserve(skeleton.size());
  for (const Node& node : skeleton.nodes) names.push_back(node.name);
  const auto nearest = nearestWord(pattern, names);
  return {ErrorCode::kNotFound, location, "no node matches '" + pattern + "'",
          nearest ? "did you mean '" + *nearest + "'?" : "list the nodes with 'clipmill info'"};
}

Result<int> findOneNode(const Skeleton& skeleton, const std::string& pattern,
                        const std::string& location) {
  std::vector<int> matches;
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    if (skeleton.nodes[i].name == pattern) matches.push_back(static_cast<int>(i));
  }
  const auto id = pattern.starts_with('#') ? parseNumber(pattern.substr(1)) : std::nullopt;
  for (std::size_t i = 0; matches.empty() && id && i < skeleton.size(); ++i) {
    if (skeleton.nodes[i].source_id == *id) matches.push_back(static_cast<int>(i));
  }
  if (matches.empty()) matches = findNodes(skeleton, pattern);
  if (matches.empty()) return noSuchNode(skeleton, pattern, location);
  if (matches.size() == 1) return matches.front();
  return Error{ErrorCode::kRecipe, location,
               "'" + pattern + "' matches " + counted(matches.size(), "node"),
               "give a name or path that only one node has"};
}

bool isAtOrBelow(const Skeleton& skeleton, int node, int above) {
  while (node > above) node = skeleton.nodes[toSize(node)].parent;
  return node == above;
}

std::vector<std::vector<int>> childrenOf(const Skeleton& skeleton) {
  std::vector<std::vector<int>> children(skeleton.size());
  for (int i = 0; i < static_cast<int>(skeleton.size()); ++i) {
    const int parent = skeleton.nodes[toSize(i)].parent;
    if (parent >= 0) children[toSize(parent)].push_back(i);
  }
  return children;
}

}  // namespace clipmill
