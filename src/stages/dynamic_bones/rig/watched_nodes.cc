// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/watched_nodes.h"

#include <algorithm>
#include <cstring>

namespace clipmill::bones {

WatchedNodes::WatchedNodes(const Rig& rig, std::size_t node_count) : seen_(node_count) {
  std::vector<bool> is_watched(node_count, false);
  for (std::size_t s = rig.following_count; s < rig.slots.size(); ++s) {
    is_watched[static_cast<std::size_t>(rig.slots[s].node)] = true;
  }
  for (const Bone& bone : rig.bones) {
    for (int node : bone.path) is_watched[static_cast<std::size_t>(node)] = true;
  }
  for (std::size_t i = 0; i < node_count; ++i) {
    if (!is_watched[i]) continue;
    if (ranges_.empty() || ranges_.back().end != i) ranges_.push_back({i, i});
    ranges_.back().end = i + 1;
  }
}

bool WatchedNodes::haveChanged(std::span<const Transform> locals) {
  static_assert(sizeof(Transform) == 10 * sizeof(double));  // no gaps: bits tell what is the same
  bool is_same = has_seen_;
  for (const auto& [begin, end] : ranges_) {
    const std::span<const Transform> now = locals.subspan(begin, end - begin);
    if (is_same && std::memcmp(now.data(), &seen_[begin], now.size_bytes()) == 0) continue;
    is_same = false;
    std::copy(now.begin(), now.end(), seen_.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  has_seen_ = true;
  return !is_same;
}

}  // namespace clipmill::bones
