// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/coupled_chains.h"

#include <cstddef>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {

int chainMoving(const Rig& rig, int slot) {
  for (; slot >= 0; slot = rig.slots[toSize(slot)].parent) {
    const int joint = rig.slots[toSize(slot)].joint;
    if (joint >= 0) return rig.bones[rig.joints[toSize(joint)].bones_start].chain;
  }
  return -1;
}

std::vector<std::pair<int, int>> coupledChains(const Rig& rig) {
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

}  // namespace clipmill::stages::dynamic_bones
