// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/coupled_chains.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Pairs of which the second moves what the first hangs on or avoids.
std::vector<std::pair<int, int>> pairsOf(const Rig& rig) {
  std::vector<std::pair<int, int>> pairs;
  const auto add = [&](int chain, int slot) {
    const int other = slot < 0 ? -1 : chainMoving(rig, slot);
    if (other >= 0 && other != chain) pairs.emplace_back(chain, other);
  };
  for (const Bone& bone : rig.bones) {
    const Slot& slot = rig.slots[toSize(rig.joints[toSize(bone.joint)].slot)];
    if (bone.parent < 0) add(bone.chain, slot.parent);
  }
  for (std::size_t chain = 0; chain < rig.colliders_of_chain.size(); ++chain) {
    add(static_cast<int>(chain), rig.inertia_slots[chain]);
    for (const int collider : rig.colliders_of_chain[chain]) {
      add(static_cast<int>(chain), rig.colliders[toSize(collider)].slot);
    }
  }
  return pairs;
}

}  // namespace

int chainMoving(const Rig& rig, int slot) {
  for (; slot >= 0; slot = rig.slots[toSize(slot)].parent) {
    const int joint = rig.slots[toSize(slot)].joint;
    if (joint >= 0) return rig.bones[rig.joints[toSize(joint)].bones_start].chain;
  }
  return -1;
}

std::vector<std::size_t> coupledChains(const Rig& rig) {
  std::vector<std::size_t> first_of(rig.colliders_of_chain.size());
  std::iota(first_of.begin(), first_of.end(), std::size_t{0});
  const auto pairs = pairsOf(rig);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const auto& [a, b] : pairs) {
      std::size_t &of_a = first_of[toSize(a)], &of_b = first_of[toSize(b)];
      if (of_a == of_b) continue;
      of_a = of_b = std::min(of_a, of_b);
      has_changed = true;
    }
  }
  return first_of;
}

}  // namespace clipmill::stages::dynamic_bones
