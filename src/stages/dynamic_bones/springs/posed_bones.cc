// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/posed_bones.h"

#include <algorithm>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
PosedBones::PosedBones(const Rig& rig, std::size_t chain_count,
                       const std::vector<SpringBone>& bones, const Skeleton& skeleton,
                       const Affine& metric_from_file)
    : rig_(rig),
      layout_(makeSpringLayout(rig, chain_count)),
      watched_(rig, skeleton.size()),
      lanes_(layout_.lane_count, rig.slots.size() + 1),
      worlds_(rig.slots.size() + 2) {
  worlds_[rig.slots.size()] = metric_from_file;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const int slot = rig.joints[toSize(rig.bones[b].joint)].slot;
    const std::size_t i = laneOf(b);
    lanes_.parent_world[i] = offsetOfWorld(rig, rig.slots[toSize(slot)].parent);
    lanes_.own_world[i] = offsetOfWorld(rig, slot);
    const Transform& rest = skeleton.nodes[toSize(rig.slots[toSize(slot)].node)].rest;
    lanes_.rest.set(i, normalizedOrIdentity(rest.rotation));
    lanes_.segments.radius_m[i] = std::max(bones[b].head_radius_m, bones[b].end_radius_m);
  }
}

void PosedBones::fill(std::span<const Transform> locals) {
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    const Bone& bone = rig_.bones[b];
    const Slot& slot = rig_.slots[toSize(rig_.joints[toSize(bone.joint)].slot)];
    const Transform& local = locals[toSize(slot.node)];
    const std::size_t i = laneOf(b);
    lanes_.translation.set(i, local.translation);
    lanes_.rotation.set(i, local.rotation);
    lanes_.scale.set(i, local.scale);
    lanes_.offset.set(i, offsetInJoint(bone, locals));
  }
}

void PosedBones::poseSlot(std::size_t s, std::span<const Transform> locals) {
  const Slot& slot = rig_.slots[s];
  worlds_[s] = worldOf(slot.parent) * toAffine(locals[toSize(slot.node)]);
}

void PosedBones::pose(std::span<const Transform> locals) {
  if (watched_.haveChanged(locals)) {
    fill(locals);
    rotatePoseLanes(lanes_);
  }
  for (std::size_t s = 0; s < rig_.following_count; ++s) poseSlot(s, locals);
  for (const SpringLevel& level : layout_.levels) {
    carryPoseLanes(lanes_, &worlds_[0].linear[0].x, level.start, level.end);
    for (int s : level.carried_slots) poseSlot(toSize(s), locals);
  }
}

}  // namespace clipmill::stages::dynamic_bones
