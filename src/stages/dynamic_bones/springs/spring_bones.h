// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anim/skeleton.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/watched_nodes.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/dynamic_bones/springs/spring_lanes.h"
#include "stages/dynamic_bones/springs/spring_step.h"

/// The layout of a rig's bones in the lanes of a spring simulation, and the lane values from
/// settings and poses.
namespace clipmill::stages::dynamic_bones {

/// Bones that do not depend on each other, and the slots and colliders that can be posed after
/// them.
struct SpringLevel {
  std::size_t start = 0, end = 0;  ///< Lanes.
  std::vector<int> bones;          ///< In the order of the lanes.
  std::vector<int> joints;         ///< Ascending.
  std::vector<int> carried_slots;  ///< Slots without a joint below these joints,
                                   ///< parents first.
  std::vector<int> colliders;      ///< On those slots or joints.
  bool has_forks = false;
};

/// Levels and lanes. Chains that avoid colliders on other chains are in later levels than these,
/// unless they avoid each other.
struct SpringLayout {
  std::vector<SpringLevel> levels;
  std::vector<std::size_t> lane_of;  ///< One a bone.
  std::size_t lane_count = 0;
  std::vector<int> base_slots;  ///< One a bone: the slot above its chain that
                                ///< follows the clip.
};
SpringLayout makeSpringLayout(const Rig& rig, std::size_t chain_count);

/// Settings of one bone that are not in lanes.
struct SpringBone {
  double frequency_hz = 0.0, damping_ratio = 0.0, air_drag_per_s = 0.0;
  double head_radius_m = 0.0, end_radius_m = 0.0;
  double friction = 0.0, restitution = 0.0;
  double inverse_mass = 1.0;
  double weight = 1.0;
  AngleLimit limit;
  double limit_softness = 0.0;
  bool stretches = false;
};
std::vector<SpringBone> springBones(const Rig& rig, const DynamicBonesSettings& settings);

/// The offset, in doubles, of a slot's world in an array of Affine: one a slot, then that of the
/// file (for slot -1).
std::int64_t offsetOfWorld(const Rig& rig, int slot);

/// Fills the columns that do not depend on pose or step.
void fillConstants(const Rig& rig, const DynamicBonesSettings& settings, const SpringLayout& layout,
                   const std::vector<SpringBone>& bones, SpringLanes& lanes);

/// Fills the columns that depend on the length of the step.
void fillStep(const SpringLayout& layout, const std::vector<SpringBone>& bones, double step_s,
              SpringLanes& lanes);

/// Rotations that a joint has before it swings.
struct JointBase {
  Quat drawn;   ///< In the pose that is the target of its bones.
  Quat rolled;  ///< The rotation whose roll it keeps.
};
JointBase baseOf(const ChainSettings& chain, const Quat& animated, const Quat& rest);

/// A bone's limit in one pose: +Y of its axes is the bone in the target pose. `carried`: the bone
/// in the axes of the joint's parent, under the rotation `drawn`.
PosedLimit poseLimit(const SpringBone& bone, const Quat& metric_from_parent, const Quat& drawn,
                     const Vec3& carried);

/// Keeps the columns of the clip's pose up to date; cheap where the chains have
/// no keys.
class SpringPose {
 public:
  SpringPose(const Rig& rig, const DynamicBonesSettings& settings, const Skeleton& skeleton,
             const SpringLayout& layout);
  /// Returns whether anything changed.
  bool update(std::span<const Transform> locals, SpringLanes& lanes);

 private:
  void fill(std::span<const Transform> locals, SpringLanes& lanes);

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const SpringLayout& layout_;
  std::vector<Transform> rest_;  // one a joint
  WatchedNodes watched_;
  std::vector<Affine> base_from_;  // base_from_node of every slot that swings
};

}  // namespace clipmill::stages::dynamic_bones
