// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig_pose.h"

namespace clipmill::bones {

RigPose::RigPose(const Rig& rig, const Affine& metric_from_file)
    : rig_(rig),
      metric_from_file_(metric_from_file),
      worlds_(rig.slots.size()),
      colliders_(rig.colliders.size()) {}

void RigPose::follow(std::span<const Transform> locals) {
  for (std::size_t s = 0; s < rig_.following_count; ++s) {
    const Slot& slot = rig_.slots[s];
    worlds_[s] = parentOf(slot) * toAffine(locals[static_cast<std::size_t>(slot.node)]);
  }
  for (std::size_t i = 0; i < colliders_.size(); ++i) {
    const RigCollider& collider = rig_.colliders[i];
    const Affine& world = worlds_[static_cast<std::size_t>(collider.slot)];
    const Quat rotation = rotationOf(world);
    colliders_[i] = makeCollider(world.translation + rotation * collider.head_m,
                                 world.translation + rotation * collider.tail_m, collider.radius_m);
  }
}

void MeanRotation::add(const Quat& rotation) {
  sum_ = glm::dot(sum_, rotation) < 0.0 ? sum_ - rotation : sum_ + rotation;
  ++count_;
}

Quat MeanRotation::value() const { return count_ == 1 ? sum_ : normalizedOrIdentity(sum_); }

}  // namespace clipmill::bones
