// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <utility>
#include <vector>

#include "io/assimp/read_parts.h"

namespace clipmill::io::assimp {
namespace {

// A matrix whose columns lean by more than this cosine is no translation, rotation and scale.
constexpr double kShearTolerance = 1e-4;
constexpr int kMaxDepth = 4096;

struct Open {
  const aiNode* node;
  int parent;
  int depth;
};

}  // namespace

Result<NodeTable> readNodes(const aiScene& source, const Limits& limits, Scene& scene) {
  NodeTable table;
  double bytes = 0.0;
  std::vector<Open> open = {{source.mRootNode, -1, 0}};
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    const int index = static_cast<int>(scene.skeleton.size());
    Node node;
    node.name = textOf(next.node->mName);
    if (node.name.empty()) node.name = "#" + std::to_string(index);
    node.parent = next.parent;
    node.source_id = index;
    double shear = 0.0;
    node.rest = decompose(affineOf(next.node->mTransformation), &shear);
    if (shear > kShearTolerance) {
      scene.warnings.add("matrix_with_shear", "a node's matrix has shear, which is dropped",
                         node.name);
    }
    bytes += static_cast<double>(sizeof(Node) + node.name.size());
    if (next.depth > kMaxDepth || !(bytes <= static_cast<double>(limits.max_decoded_bytes))) {
      return Error{ErrorCode::kLimit, node.name,
                   "exceeds the limit for the number or depth of nodes", ""};
    }
    table.by_name.emplace(node.name, index);
    ++table.count_of[node.name];
    table.source.push_back(next.node);
    scene.skeleton.nodes.push_back(std::move(node));
    for (unsigned c = next.node->mNumChildren; c-- > 0;) {
      open.push_back({next.node->mChildren[c], index, next.depth + 1});
    }
  }
  return table;
}

}  // namespace clipmill::io::assimp
