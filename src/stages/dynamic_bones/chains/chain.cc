// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/chain.h"

#include <algorithm>

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

using NodeSet = std::vector<bool>;  // one flag a node

Result<NodeSet> nodesMatching(const Skeleton& skeleton, const std::vector<std::string>& patterns,
                              const std::string& location) {
  NodeSet matches(skeleton.size(), false);
  for (const std::string& pattern : patterns) {
    const std::vector<int> found = findNodes(skeleton, pattern);
    if (found.empty()) return noSuchNode(skeleton, pattern, location);
    for (int node : found) matches[toSize(node)] = true;
  }
  return matches;
}

// Matches that have no other match above them.
std::vector<int> topmost(const Skeleton& skeleton, const std::vector<int>& matches) {
  NodeSet is_match(skeleton.size(), false);
  for (int node : matches) is_match[toSize(node)] = true;
  std::vector<int> roots;
  for (int node : matches) {
    int above = skeleton.nodes[toSize(node)].parent;
    while (above >= 0 && !is_match[toSize(above)]) {
      above = skeleton.nodes[toSize(above)].parent;
    }
    if (above < 0) roots.push_back(node);
  }
  return roots;
}

// Claims `root` and what hangs below it for one chain.
class ChainWalk {
 public:
  ChainWalk(const Skeleton& skeleton, const std::vector<std::vector<int>>& children,
            const std::vector<ChainSettings>& chains, std::vector<ChainNode>& nodes)
      : skeleton_(skeleton), children_(children), chains_(chains), nodes_(nodes) {}

  Status claim(int root, int chain, const NodeSet& stop, const NodeSet& skip) {
    const ChainSettings& settings = chains_[toSize(chain)];
    std::vector<int> open = {root};
    while (!open.empty()) {
      const int index = open.back();
      open.pop_back();
      CLIPMILL_CHECK(claimOne(index, chain));
      ChainNode& node = nodes_[toSize(index)];
      node.may_rotate = !(index == root && settings.keep_root);
      if (stop[toSize(index)]) {
        node.may_rotate = false;
        continue;
      }
      for (int child : children_[toSize(index)]) {
        if (skip[toSize(child)]) continue;
        node.children.push_back(child);
        open.push_back(child);
      }
    }
    return {};
  }

  // The joints that the chain lists, each below the one before.
  Status claimJoints(int chain) {
    const ChainSettings& settings = chains_[toSize(chain)];
    const std::string location = chainLabel(settings);
    int above = -1;
    for (const std::string& name : settings.joints) {
      CLIPMILL_TRY(const int index, findOneNode(skeleton_, name, location));
      if (above >= 0 && (index == above || !isBelow(index, above))) {
        return Error{ErrorCode::kRecipe, location,
                     "joint '" + name + "' is not below '" + pathOf(skeleton_, above) + "'",
                     "list the joints from first to tip"};
      }
      CLIPMILL_CHECK(claimOne(index, chain));
      nodes_[toSize(index)].may_rotate = !(above < 0 && settings.keep_root);
      if (above >= 0) nodes_[toSize(above)].children.push_back(index);
      above = index;
    }
    return {};
  }

 private:
  bool isBelow(int node, int above) const {
    while (node > above) node = skeleton_.nodes[toSize(node)].parent;
    return node == above;
  }

  Status claimOne(int index, int chain) {
    ChainNode& node = nodes_[toSize(index)];
    if (node.chain >= 0) {
      return Error{ErrorCode::kRecipe, chainLabel(chains_[toSize(chain)]),
                   "node '" + pathOf(skeleton_, index) + "' belongs to " +
                       chainLabel(chains_[toSize(node.chain)]) + " as well",
                   "add it to `skip` of one of the two"};
    }
    node.chain = chain;
    return {};
  }

  const Skeleton& skeleton_;
  const std::vector<std::vector<int>>& children_;
  const std::vector<ChainSettings>& chains_;
  std::vector<ChainNode>& nodes_;
};

}  // namespace

std::string chainLabel(const ChainSettings& chain) {
  return "chain '" + (chain.joints.empty() ? chain.root : chain.joints.front()) + "'";
}

Result<std::vector<ChainNode>> findChains(const Skeleton& skeleton,
                                          const std::vector<ChainSettings>& chains) {
  std::vector<ChainNode> nodes(skeleton.size());
  const std::vector<std::vector<int>> children = childrenOf(skeleton);
  ChainWalk walk(skeleton, children, chains, nodes);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const ChainSettings& chain = chains[i];
    if (!chain.joints.empty()) {
      CLIPMILL_CHECK(walk.claimJoints(static_cast<int>(i)));
      continue;
    }
    if (chain.root.empty()) {
      return Error{ErrorCode::kRecipe, "chain " + std::to_string(i + 1), "has no `root`",
                   "set `root` to the name of its first joint"};
    }
    const std::vector<int> matches = findNodes(skeleton, chain.root);
    if (matches.empty()) return noSuchNode(skeleton, chain.root, chainLabel(chain));
    CLIPMILL_TRY(const NodeSet stop, nodesMatching(skeleton, chain.stop, chainLabel(chain)));
    CLIPMILL_TRY(const NodeSet skip, nodesMatching(skeleton, chain.skip, chainLabel(chain)));
    for (int root : topmost(skeleton, matches)) {
      if (skip[toSize(root)]) continue;
      CLIPMILL_CHECK(walk.claim(root, static_cast<int>(i), stop, skip));
    }
  }
  return nodes;
}

}  // namespace clipmill::stages::dynamic_bones
