// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::bones {

/// Tells whether a pose moves the chains of a rig themselves: mostly clips only
/// carry them.
class WatchedNodes {
 public:
  WatchedNodes(const Rig& rig, std::size_t node_count);

  /// Whether a transform that the bones depend on, below what follows the clip,
  /// is another one than in the last call; true in the first.
  bool haveChanged(std::span<const Transform> locals);

 private:
  // Nodes [begin, end) next to each other.
  struct NodeRange {
    std::size_t begin = 0, end = 0;
  };

  std::vector<NodeRange> ranges_;
  std::vector<Transform> seen_;  // one a node: those that are watched, as of the last call
  bool has_seen_ = false;
};

}  // namespace clipmill::bones
