// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/collider.h"
#include "stages/dynamic_bones/rig.h"

namespace clipmill::bones {

/// A joint at one time, carried by its parent as it swung, before it turns itself. "Parent axes"
/// are those in which the joint's own rotation is expressed: file units, parent's scale not
/// applied.
struct JointFrame {
  const Affine& metric_from_parent;
  Mat3 parent_from_metric;  ///< Inverse of its linear part; not finite where that is singular.
  Vec3 head_m;              ///< The joint's position.
  Quat animated;            ///< The clip's local rotation, of unit length.
  Vec3 scale;               ///< The clip's local scale.
  std::span<const Transform> locals;  ///< The clip's pose, all nodes of the skeleton.

  /// A bone's vector in parent axes under the animated rotation.
  Vec3 boneInParent(const Bone& bone) const { return boneInParent(bone, animated); }
  /// The same under another local rotation of the joint.
  Vec3 boneInParent(const Bone& bone, const Quat& rotation) const {
    const Vec3 offset = bone.tail_node < 0
                            ? bone.tip_offset
                            : locals[static_cast<std::size_t>(bone.tail_node)].translation;
    return rotation * (scale * offset);
  }
  Vec3 toMetric(const Vec3& in_parent) const { return metric_from_parent.linear * in_parent; }
  Vec3 toParent(const Vec3& in_metric) const { return parent_from_metric * in_metric; }
};

/// The places of a rig's nodes at one time.
class RigPose {
 public:
  RigPose(const Rig& rig, const Affine& metric_from_file);

  /// Poses the slots that only follow the clip, and the colliders. `locals` is the clip's pose.
  void follow(std::span<const Transform> locals);

  /// Poses the slots that swing, parents first: turn(joint, frame) gives each joint's local
  /// rotation, of unit length. Call follow() with the same pose first.
  template <class Turn>
  void swing(std::span<const Transform> locals, Turn&& turn) {
    for (std::size_t s = rig_.following_count; s < rig_.slots.size(); ++s) {
      const Slot& slot = rig_.slots[s];
      const Transform& local = locals[static_cast<std::size_t>(slot.node)];
      const Affine& above = parentOf(slot);
      if (slot.joint < 0) {
        worlds_[s] = above * toAffine(local);
        continue;
      }
      const JointFrame frame = frameOf(above, local, locals);
      const Quat rotation = turn(static_cast<std::size_t>(slot.joint), frame);
      if (!slot.is_parent) continue;
      const Mat3 turned = glm::mat3_cast(rotation);
      const Mat3 linear(turned[0] * local.scale.x, turned[1] * local.scale.y,
                        turned[2] * local.scale.z);
      worlds_[s] = {above.linear * linear, frame.head_m};
    }
  }

  const std::vector<WorldCollider>& colliders() const { return colliders_; }

 private:
  const Affine& parentOf(const Slot& slot) const {
    return slot.parent < 0 ? metric_from_file_ : worlds_[static_cast<std::size_t>(slot.parent)];
  }
  static JointFrame frameOf(const Affine& above, const Transform& local,
                            std::span<const Transform> locals) {
    return {above,
            glm::inverse(above.linear),
            transformPoint(above, local.translation),
            normalizedOrIdentity(local.rotation),
            local.scale,
            locals};
  }

  const Rig& rig_;
  Affine metric_from_file_;
  std::vector<Affine> worlds_;  // metric_from_node of every slot; of joints, those with children
  std::vector<WorldCollider> colliders_;
};

/// Equal-weight mean of rotations near to each other: the normalised sum of the quaternions, each
/// taken with the sign that lies nearer to the first.
class MeanRotation {
 public:
  void add(const Quat& rotation);
  /// Identity when nothing was added.
  Quat value() const;

 private:
  std::size_t count_ = 0;
  Quat sum_{0.0, 0.0, 0.0, 0.0};
};

/// What became of a clip besides its motion.
struct SimulationCounts {
  std::size_t joint_steps = 0;  ///< Simulated points times time steps.
  std::size_t resets = 0;       ///< Points that were put back because they were not finite.
};

}  // namespace clipmill::bones
