// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/skeleton.h"

#include "core/text.h"

namespace clipmill {

int findSource(const Skeleton& skeleton, int source_id) {
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    if (skeleton.nodes[i].source_id == source_id) return static_cast<int>(i);
  }
  return -1;
}

std::string pathOf(const Skeleton& skeleton, int node) {
  std::string path;
  for (int i = node; i >= 0; i = skeleton.nodes[static_cast<std::size_t>(i)].parent) {
    const std::string& name = skeleton.nodes[static_cast<std::size_t>(i)].name;
    path = i == node ? name : name + "/" + path;
  }
  return path;
}

std::vector<int> findNodes(const Skeleton& skeleton, std::string_view pattern) {
  const bool by_path = pattern.find('/') != std::string_view::npos;
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(skeleton.size()); ++i) {
    const std::string& name = skeleton.nodes[static_cast<std::size_t>(i)].name;
    if (matchesGlob(pattern, by_path ? pathOf(skeleton, i) : name)) found.push_back(i);
  }
  return found;
}

std::vector<std::vector<int>> childrenOf(const Skeleton& skeleton) {
  std::vector<std::vector<int>> children(skeleton.size());
  for (int i = 0; i < static_cast<int>(skeleton.size()); ++i) {
    const int parent = skeleton.nodes[static_cast<std::size_t>(i)].parent;
    if (parent >= 0) children[static_cast<std::size_t>(parent)].push_back(i);
  }
  return children;
}

}  // namespace clipmill
