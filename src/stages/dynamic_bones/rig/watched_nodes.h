// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::stages::dynamic_bones {

/// Detects whether a clip animates the chains of a rig themselves. Most clips do not.
class WatchedNodes {
 public:
  WatchedNodes(const Rig& rig, std::size_t node_count);

  /// Whether the local transform of a simulated node, or of a node between two joints, differs from
  /// the last call; true in the first call.
  bool haveChanged(std::span<const Transform> locals);

 private:
  // Nodes [start, end) next to each other.
  struct NodeRange {
    std::size_t start = 0, end = 0;
  };

  std::vector<NodeRange> ranges_;
  std::vector<Transform> seen_;  // one per node: those that are watched, as of the last call
  bool has_seen_ = false;
};

}  // namespace clipmill::stages::dynamic_bones
