// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/rig_pose.h"

#include <algorithm>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {

Vec3 offsetInJoint(const Bone& bone, std::span<const Transform> locals) {
  if (bone.path.empty()) return bone.tip_offset;
  Vec3 point(0.0);
  for (std::size_t i = bone.path.size(); i-- > 0;) {
    const Transform& local = locals[toSize(bone.path[i])];
    const bool is_tail = i + 1 == bone.path.size();
    point = is_tail ? local.translation : transformPoint(toAffine(local), point);
  }
  return point;
}

RigPose::RigPose(const Rig& rig, const Affine& metric_from_file)
    : rig_(rig),
      metric_from_file_(metric_from_file),
      worlds_(rig.slots.size()),
      solid_poses_(rig.colliders.size()),
      last_(rig.slots.size()) {}

void RigPose::follow(std::span<const Transform> locals) {
  for (std::size_t s = 0; s < rig_.following_count; ++s) {
    const Slot& slot = rig_.slots[s];
    worlds_[s] = parentOf(slot) * toAffine(locals[toSize(slot.node)]);
  }
}

const std::vector<RigidPose>& RigPose::poseSolids() {
  for (std::size_t i = 0; i < solid_poses_.size(); ++i) {
    solid_poses_[i] = rig_.colliders[i].poseAt(worlds_);
  }
  return solid_poses_;
}

void MeanRotation::add(const Quat& rotation) {
  sum_ = glm::dot(sum_, rotation) < 0.0 ? sum_ - rotation : sum_ + rotation;
  ++count_;
}

void SimulationCounts::add(const SimulationCounts& other) {
  joint_steps += other.joint_steps;
  resets += other.resets;
  teleports += other.teleports;
  unresolved_contacts += other.unresolved_contacts;
  unsolved += other.unsolved;
  stiffened += other.stiffened;
  cycles = std::max(cycles, other.cycles);
  predicted_cycles = std::max(predicted_cycles, other.predicted_cycles);
  seam_deg = std::max(seam_deg, other.seam_deg);
  seam_degps = std::max(seam_degps, other.seam_degps);
}

Quat MeanRotation::value() const { return count_ == 1 ? sum_ : normalizedOrIdentity(sum_); }

}  // namespace clipmill::stages::dynamic_bones
