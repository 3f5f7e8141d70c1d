// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/colliders/contact.h"
#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::bones {

/// The rigid part of a map.
inline Place placeOf(const Affine& world) { return {rotationOf(world), world.translation}; }

/// The vector of a bone in the axes of its joint, in file units, its joint's
/// scale not applied.
Vec3 offsetInJoint(const Bone& bone, std::span<const Transform> locals);

/// A joint at one time, carried by its parent as it swung, before it turns
/// itself. "Parent axes" are those in which the joint's own rotation is
/// expressed: file units, parent's scale not applied.
struct JointFrame {
  const Affine& metric_from_parent;
  Vec3 head_m;                        ///< The joint's position.
  Quat animated;                      ///< The clip's local rotation, of unit length.
  Vec3 scale;                         ///< The clip's local scale.
  std::span<const Transform> locals;  ///< The clip's pose, all nodes of the skeleton.

  /// A bone's vector in parent axes under the animated rotation.
  Vec3 boneInParent(const Bone& bone) const { return boneInParent(bone, animated); }
  /// The same under another local rotation of the joint.
  Vec3 boneInParent(const Bone& bone, const Quat& rotation) const {
    return inParent(offsetInJoint(bone, locals), rotation);
  }
  /// A vector of the joint's axes in parent axes under a local rotation of the
  /// joint.
  Vec3 inParent(const Vec3& offset, const Quat& rotation) const {
    return rotation * (scale * offset);
  }
  Vec3 toMetric(const Vec3& in_parent) const { return metric_from_parent.linear * in_parent; }
  /// Not finite where the parent's axes are flat.
  Vec3 toParent(const Vec3& in_metric) const {
    return glm::inverse(metric_from_parent.linear) * in_metric;
  }
};

/// The places of a rig's nodes at one time.
class RigPose {
 public:
  RigPose(const Rig& rig, const Affine& metric_from_file);

  /// Poses the slots that only follow the clip. `locals` is the clip's pose.
  void follow(std::span<const Transform> locals);

  /// Poses the slots that swing, parents first: turn(joint, frame) gives each
  /// joint's local rotation, of unit length. Call follow() with the same pose
  /// first.
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
      LastTurn& last = last_[s];
      const bool is_still = last.moveTo(local);
      const JointFrame frame = {above, transformPoint(above, local.translation), last.animated,
                                local.scale, locals};
      const Quat rotation = turn(static_cast<std::size_t>(slot.joint), frame);
      if (!slot.is_parent) continue;
      if (!is_still || rotation != last.rotation) last.turnTo(rotation);
      worlds_[s] = {above.linear * last.linear, frame.head_m};
    }
  }

  /// Where the solid of each collider is: rigid, whatever the scale of its
  /// node. Those on slots that swing count after swing().
  const std::vector<Place>& placeSolids();

  /// Where a slot is, by its index; after follow() or, where it swings, after
  /// swing().
  Place placeOfSlot(int slot) const { return placeOf(worlds_[static_cast<std::size_t>(slot)]); }

 private:
  const Affine& parentOf(const Slot& slot) const {
    return slot.parent < 0 ? metric_from_file_ : worlds_[static_cast<std::size_t>(slot.parent)];
  }

  // What became of a joint's local transform in the last pose. Most joints of
  // chains stand still in clips.
  struct LastTurn {
    Transform local;
    Quat animated = kIdentityRotation;  // local.rotation, of unit length
    Quat rotation = kIdentityRotation;  // that the joint got
    Mat3 linear{1.0};                   // of its local map

    // True where it is there already.
    bool moveTo(const Transform& next) {
      if (next.rotation == local.rotation && next.scale == local.scale) return true;
      local = next;
      animated = normalizedOrIdentity(next.rotation);
      return false;
    }
    void turnTo(const Quat& next) {
      rotation = next;
      const Mat3 turned = glm::mat3_cast(next);
      linear = {turned[0] * local.scale.x, turned[1] * local.scale.y, turned[2] * local.scale.z};
    }
  };

  const Rig& rig_;
  Affine metric_from_file_;
  std::vector<Affine> worlds_;  // metric_from_node of every slot; of joints, those with children
  std::vector<Place> places_;   // one a collider
  std::vector<LastTurn> last_;  // one a slot
};

/// Equal-weight mean of rotations near to each other: the normalised sum of the
/// quaternions, each taken with the sign that lies nearer to the first.
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
  std::size_t teleports = 0;    ///< Jumps of a chain's carrier that it did not feel.
  std::size_t squeezed = 0;     ///< Times that a point could not be put outside of all solids.
  std::size_t unsolved = 0;     ///< Steps in which the lengths of a rope were restored one by one.
  int cycles = 0;            ///< Cycles simulated until the clip's end met its begin; 0: no loop.
  int predicted_cycles = 0;  ///< How many the damping let expect.
  double seam_deg = 0.0;     ///< Largest turn of a bone left between end and begin.
  double seam_degps = 0.0;   ///< Largest difference of a bone's speed of turning there.
};

}  // namespace clipmill::bones
