// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/skin/rest_approach.h"

#include <cstddef>

#include "core/smooth_step.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Of each node, for how many chains it is the attachment joint or above it.
std::vector<int> chainsBelow(const Skeleton& skeleton, const Rig& rig) {
  std::vector<int> counts(skeleton.size(), 0);
  for (const int slot : rig.attachment_slots) {
    int node = slot < 0 ? -1 : rig.slots[toSize(slot)].node;
    for (; node >= 0; node = skeleton.nodes[toSize(node)].parent) ++counts[toSize(node)];
  }
  return counts;
}

}  // namespace

RestApproach::RestApproach(const Skeleton& skeleton, const Rig& rig,
                           std::span<const Transform> target)
    : target_(target.begin(), target.end()), mixed_(target_) {
  int chains = 0;
  for (const int slot : rig.attachment_slots) chains += slot >= 0 ? 1 : 0;
  const std::vector<int> below = chainsBelow(skeleton, rig);
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const bool bears_all = chains > 0 && below[i] == chains;
    rest_.push_back(bears_all ? target_[i] : skeleton.nodes[i].rest);
  }
}

std::span<const Transform> RestApproach::at(double share) {
  const double eased = smoothStep(share);
  for (std::size_t i = 0; i < mixed_.size(); ++i) {
    const Transform &from = rest_[i], &to = target_[i];
    mixed_[i].translation = from.translation + (to.translation - from.translation) * eased;
    mixed_[i].rotation =
        slerp(normalizedOrIdentity(from.rotation), normalizedOrIdentity(to.rotation), eased);
    mixed_[i].scale = from.scale + (to.scale - from.scale) * eased;
  }
  return mixed_;
}

}  // namespace clipmill::stages::dynamic_bones
