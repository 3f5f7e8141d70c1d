// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/watched_nodes.h"

#include <algorithm>
#include <cstring>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {

WatchedNodes::WatchedNodes(const Rig& rig, std::size_t node_count) : seen_(node_count) {
  std::vector<bool> is_watched(node_count, false);
  for (std::size_t s = rig.following_count; s < rig.slots.size(); ++s) {
    is_watched[toSize(rig.slots[s].node)] = true;
  }
  for (const Bone& bone : rig.bones) {
    for (int node : bone.path) is_watched[toSize(node)] = true;
  }
  for (std::size_t i = 0; i < node_count; ++i) {
    if (!is_watched[i]) continue;
    if (ranges_.empty() || ranges_.back().end != i) ranges_.push_back({i, i});
    ranges_.back().end = i + 1;
  }
}

bool WatchedNodes::haveChanged(std::span<const Transform> locals) {
  static_assert(sizeof(Transform) ==
                10 * sizeof(double));  // no padding: equal bits are equal values
  bool is_same = has_seen_;
  for (const auto& [start, end] : ranges_) {
    const std::span<const Transform> now = locals.subspan(start, end - start);
    if (is_same && std::memcmp(now.data(), &seen_[start], now.size_bytes()) == 0) continue;
    is_same = false;
    std::copy(now.begin(), now.end(), seen_.begin() + static_cast<std::ptrdiff_t>(start));
  }
  has_seen_ = true;
  return !is_same;
}

}  // namespace clipmill::stages::dynamic_bones
