// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/rig_split.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/to_size.h"
#include "stages/dynamic_bones/rig/coupled_chains.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Trees that a solver takes at once.
constexpr std::size_t kTreeBlock = 8;

// By chain setting: topmost joints.
std::vector<std::size_t> treesOf(const Rig& rig) {
  std::vector<std::size_t> trees(rig.colliders_of_chain.size(), 0);
  for (const Joint& joint : rig.joints) {
    const Bone& bone = rig.bones[joint.bones_start];
    if (bone.parent < 0) ++trees[toSize(bone.chain)];
  }
  return trees;
}

// The group of each chain setting. Groups are filled one after the other, all but the last one to
// whole blocks where chains are single trees.
std::vector<std::size_t> groupsOf(const Rig& rig, std::size_t count) {
  const std::vector<std::size_t> first_of = coupledChains(rig);
  const std::vector<std::size_t> trees = treesOf(rig);
  const std::size_t chains = trees.size();
  std::vector<std::size_t> weight(chains, 0), group_of(chains, 0);
  for (std::size_t chain = 0; chain < chains; ++chain) {
    weight[first_of[chain]] += trees[chain];
  }
  const std::size_t all = std::accumulate(trees.begin(), trees.end(), std::size_t{0});
  const std::size_t share = std::max(kLeastTrees, (all + count - 1) / count);
  const std::size_t full = (share + kTreeBlock - 1) / kTreeBlock * kTreeBlock;
  std::size_t group = 0, in_group = 0, left = all;
  for (std::size_t chain = 0; chain < chains; ++chain) {
    if (first_of[chain] != chain) {
      group_of[chain] = group_of[first_of[chain]];
      continue;
    }
    if (in_group >= full && left >= kLeastTrees) {
      ++group;
      in_group = 0;
    }
    group_of[chain] = group;
    in_group += weight[chain];
    left -= weight[chain];
  }
  return group_of;
}

// Makes a rig of the chains of one group.
class RigPicker {
 public:
  RigPicker(const Rig& rig, const std::vector<std::size_t>& group_of, std::size_t group)
      : rig_(rig), group_of_(group_of), group_(group) {}

  Rig pick() {
    picked_.skin = rig_.skin;
    picked_.skin_uses = rig_.skin_uses;
    pickSlots();
    pickBones();
    pickColliders();
    for (std::size_t chain = 0; chain < group_of_.size(); ++chain) {
      const bool is_here = group_of_[chain] == group_;
      const auto slotOr = [&](int slot) { return is_here && slot >= 0 ? slot_[toSize(slot)] : -1; };
      picked_.inertia_slots.push_back(slotOr(rig_.inertia_slots[chain]));
      picked_.attachment_slots.push_back(slotOr(rig_.attachment_slots[chain]));
      picked_.colliders_of_chain.push_back(is_here ? pickedColliders(rig_.colliders_of_chain[chain])
                                                   : std::vector<int>());
    }
    return std::move(picked_);
  }

 private:
  bool isHere(int chain) const { return group_of_[toSize(chain)] == group_; }

  // What follows the clip is in all groups.
  void pickSlots() {
    slot_.assign(rig_.slots.size(), -1);
    for (std::size_t s = 0; s < rig_.slots.size(); ++s) {
      const int chain = chainMoving(rig_, static_cast<int>(s));
      if (chain >= 0 && !isHere(chain)) continue;
      slot_[s] = static_cast<int>(picked_.slots.size());
      picked_.slots.push_back(rig_.slots[s]);
      Slot& slot = picked_.slots.back();
      if (slot.parent >= 0) slot.parent = slot_[toSize(slot.parent)];
    }
    picked_.following_count = rig_.following_count;
  }

  void pickBones() {
    std::vector<int> bone_of(rig_.bones.size(), -1);
    for (const Joint& joint : rig_.joints) {
      if (!isHere(rig_.bones[joint.bones_start].chain)) continue;
      const int index = static_cast<int>(picked_.joints.size());
      picked_.slots[toSize(slot_[toSize(joint.slot)])].joint = index;
      const std::size_t start = picked_.bones.size();
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        bone_of[b] = static_cast<int>(picked_.bones.size());
        picked_.bones.push_back(rig_.bones[b]);
        Bone& bone = picked_.bones.back();
        bone.joint = index;
        if (bone.parent >= 0) bone.parent = bone_of[toSize(bone.parent)];
        bones_.push_back(b);
      }
      picked_.joints.push_back({slot_[toSize(joint.slot)], start, picked_.bones.size()});
    }
    bone_of_ = std::move(bone_of);
  }

  void pickColliders() {
    collider_.assign(rig_.colliders.size(), -1);
    for (std::size_t i = 0; i < rig_.colliders.size(); ++i) {
      RigCollider collider = rig_.colliders[i];
      if (!collider.isFixed() && slot_[toSize(collider.slot)] < 0) continue;
      if (!collider.isFixed()) collider.slot = slot_[toSize(collider.slot)];
      if (collider.bone >= 0) collider.bone = bone_of_[toSize(collider.bone)];
      collider_[i] = static_cast<int>(picked_.colliders.size());
      picked_.colliders.push_back(std::move(collider));
    }
    for (const std::size_t b : bones_) {
      picked_.colliders_of_bone.push_back(pickedColliders(rig_.colliders_of_bone[b]));
    }
  }

  std::vector<int> pickedColliders(const std::vector<int>& colliders) const {
    std::vector<int> picked;
    for (const int i : colliders) picked.push_back(collider_[toSize(i)]);
    return picked;
  }

  const Rig& rig_;
  const std::vector<std::size_t>& group_of_;
  const std::size_t group_;
  Rig picked_;
  std::vector<int> slot_, bone_of_, collider_;  // the new index of each, or -1
  std::vector<std::size_t> bones_;              // the old index of each picked one
};

}  // namespace

std::vector<Rig> splitRig(const Rig& rig, std::size_t count) {
  if (count < 2 || rig.colliders_of_chain.empty()) return {};
  const std::vector<std::size_t> group_of = groupsOf(rig, count);
  const std::size_t groups = *std::max_element(group_of.begin(), group_of.end()) + 1;
  std::vector<Rig> rigs;
  for (std::size_t group = 0; group < groups && groups > 1; ++group) {
    rigs.push_back(RigPicker(rig, group_of, group).pick());
  }
  return rigs;
}

}  // namespace clipmill::stages::dynamic_bones
