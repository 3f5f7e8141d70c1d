// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/colliders/contact.h"
#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::stages::dynamic_bones {

/// The vector of a bone in the axes of its joint, in file units, its joint's
/// scale not applied.
Vec3 offsetInJoint(const Bone& bone, std::span<const Transform> locals);

/// A joint at one time: its parent is simulated, its own rotation is not set yet. "Parent axes" are
/// those of the joint's own rotation: file units, parent's scale not applied.
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

/// World transforms of a rig's nodes at one time.
class RigPose {
 public:
  RigPose(const Rig& rig, const Affine& metric_from_file);

  /// Poses the slots that follow the clip. `locals` is the clip's pose.
  void follow(std::span<const Transform> locals);

  /// Poses the slots that chains move, parents first: rotation_of(joint, frame) returns each
  /// joint's local rotation, of unit length. Call follow() with the same pose first.
  template <class Rotation>
  void swing(std::span<const Transform> locals, Rotation&& rotation_of) {
    for (std::size_t s = rig_.following_count; s < rig_.slots.size(); ++s) {
      const Slot& slot = rig_.slots[s];
      const Transform& local = locals[toSize(slot.node)];
      const Affine& above = parentOf(slot);
      if (slot.joint < 0) {
        worlds_[s] = above * toAffine(local);
        continue;
      }
      LastRotation& last = last_[s];
      const bool is_still = last.setLocal(local);
      const JointFrame frame = {above, transformPoint(above, local.translation), last.animated,
                                local.scale, locals};
      const Quat rotation = rotation_of(toSize(slot.joint), frame);
      if (!slot.is_parent) continue;
      if (!is_still || rotation != last.rotation) last.setRotation(rotation);
      worlds_[s] = {above.linear * last.linear, frame.head_m};
    }
  }

  /// Rigid transforms of the nodes of all colliders; scale is not applied. Those on slots that
  /// chains move are valid after swing().
  const std::vector<RigidPose>& poseSolids();

  /// Rigid transform of a slot, by its index; valid after follow() or, where chains move it, after
  /// swing().
  RigidPose poseOfSlot(int slot) const { return rigidPoseOf(worlds_[toSize(slot)]); }

 private:
  const Affine& parentOf(const Slot& slot) const {
    return slot.parent < 0 ? metric_from_file_ : worlds_[toSize(slot.parent)];
  }

  // A joint's local transform in the last pose. Most joints of chains have no motion in clips.
  struct LastRotation {
    Transform local;
    Quat animated = kIdentityRotation;  // local.rotation, of unit length
    Quat rotation = kIdentityRotation;  // the result
    Mat3 linear{1.0};                   // of the local transform

    // True where nothing changes.
    bool setLocal(const Transform& next) {
      if (next.rotation == local.rotation && next.scale == local.scale) return true;
      local = next;
      animated = normalizedOrIdentity(next.rotation);
      return false;
    }
    void setRotation(const Quat& next) {
      rotation = next;
      const Mat3 rotated = glm::mat3_cast(next);
      linear = {rotated[0] * local.scale.x, rotated[1] * local.scale.y, rotated[2] * local.scale.z};
    }
  };

  const Rig& rig_;
  Affine metric_from_file_;
  std::vector<Affine> worlds_;  // metric_from_node of every slot; of joints, those with children
  std::vector<RigidPose> solid_poses_;  // one per collider
  std::vector<LastRotation> last_;      // one per slot
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

/// Counts of a simulation, for the report.
struct SimulationCounts {
  std::size_t joint_steps = 0;          ///< Simulated points times time steps.
  std::size_t resets = 0;               ///< Points that were reset because they were not finite.
  std::size_t teleports = 0;            ///< Jumps of attachment joints without reaction.
  std::size_t unresolved_contacts = 0;  ///< Contacts after which a bone still penetrates a solid.
  std::size_t unsolved = 0;             ///< Steps of a rod that did not converge.
  std::size_t stiffened = 0;            ///< Rods that were stiffened to bear their weight.
  int cycles = 0;            ///< Cycles simulated until the clip's end met its start; 0: no loop.
  int predicted_cycles = 0;  ///< Estimate from the damping.
  double seam_deg = 0.0;     ///< Largest angle of a bone between end and start.
  double seam_degps = 0.0;   ///< Largest difference of a bone's angular speed there.

  /// Takes in those of other chains of the same clip.
  void add(const SimulationCounts& other);
};

}  // namespace clipmill::stages::dynamic_bones
