// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring_bones.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rig/rig_pose.h"

namespace clipmill::stages::dynamic_bones {
namespace {

const Slot& slotOf(const Rig& rig, const Bone& bone) {
  return rig.slots[toSize(rig.joints[toSize(bone.joint)].slot)];
}

// One number a slot: how many joints are above it, and itself; 0 for those that
// follow the clip.
std::vector<int> depthsOf(const Rig& rig) {
  std::vector<int> depths(rig.slots.size(), 0);
  for (std::size_t s = rig.following_count; s < rig.slots.size(); ++s) {
    const int parent = rig.slots[s].parent;
    depths[s] = (parent < 0 ? 0 : depths[toSize(parent)]) + (rig.slots[s].joint >= 0 ? 1 : 0);
  }
  return depths;
}

// The chain to which every slot that swings belongs: that of the nearest joint
// above or at it.
std::vector<int> chainsOf(const Rig& rig) {
  std::vector<int> chains(rig.slots.size(), -1);
  for (std::size_t s = rig.following_count; s < rig.slots.size(); ++s) {
    const Slot& slot = rig.slots[s];
    if (slot.joint >= 0) {
      chains[s] = rig.bones[rig.joints[toSize(slot.joint)].bones_start].chain;
    } else if (slot.parent >= 0) {
      chains[s] = chains[toSize(slot.parent)];
    }
  }
  return chains;
}

// The level at which each chain can start: after the chains that carry its colliders. Of two chains
// that depend on each other, only one waits.
class ChainDependencies {
 public:
  ChainDependencies(const Rig& rig, std::size_t chain_count)
      : depends_on_(chain_count), height_(chain_count, 0), start_(chain_count, -1) {
    const std::vector<int> depths = depthsOf(rig), chains = chainsOf(rig);
    for (std::size_t s = rig.following_count; s < rig.slots.size(); ++s) {
      if (chains[s] < 0) continue;
      int& height = height_[toSize(chains[s])];
      height = std::max(height, depths[s]);
    }
    for (std::size_t chain = 0; chain < chain_count; ++chain) {
      for (int i : rig.colliders_of_chain[chain]) {
        const RigCollider& collider = rig.colliders[toSize(i)];
        if (collider.isFixed()) continue;
        const int other = chains[toSize(collider.slot)];
        if (other >= 0 && toSize(other) != chain) depends_on_[chain].push_back(other);
      }
    }
    is_open_.assign(chain_count, false);
    for (std::size_t chain = 0; chain < chain_count; ++chain) visit(chain);
  }

  int operator[](std::size_t chain) const { return start_[chain]; }

 private:
  int visit(std::size_t chain) {
    if (start_[chain] >= 0) return start_[chain];
    is_open_[chain] = true;
    int start = 0;
    for (int other : depends_on_[chain]) {
      if (!is_open_[toSize(other)]) {
        start = std::max(start, visit(toSize(other)) + height_[toSize(other)]);
      }
    }
    is_open_[chain] = false;
    return start_[chain] = start;
  }

  std::vector<std::vector<int>> depends_on_;
  std::vector<int> height_, start_;
  std::vector<bool> is_open_;
};

AngleLimit limitOf(const ChainSettings& chain, double depth) {
  AngleLimit limit;
  switch (chain.limit) {
    case LimitShape::kNone:
      return limit;
    case LimitShape::kCone:
      limit.kind = AngleLimit::Kind::kCone;
      break;
    case LimitShape::kHinge:
      limit.kind = AngleLimit::Kind::kHinge;
      break;
    case LimitShape::kSpherical:
      limit.kind = AngleLimit::Kind::kSpherical;
      break;
    case LimitShape::kPlanar:
      limit.kind = AngleLimit::Kind::kPlanar;
      break;
  }
  limit.angle_rad = chain.limit_deg.at(depth) * kDegree;
  limit.yaw_rad = chain.limit_yaw_deg.at(depth) * kDegree;
  limit.rotation = rotationOfDegrees(chain.limit_rotation_deg);
  return limit;
}

}  // namespace

SpringLayout makeSpringLayout(const Rig& rig, std::size_t chain_count) {
  const std::vector<int> depths = depthsOf(rig), chains = chainsOf(rig);
  const ChainDependencies dependencies(rig, chain_count);
  // Slots in the order of levels; a joint is at least one level below the joint above it.
  std::vector<int> levels(rig.slots.size(), -1);
  int level_count = 0;
  for (std::size_t s = rig.following_count; s < rig.slots.size(); ++s) {
    const Slot& slot = rig.slots[s];
    const int above = slot.parent < 0 ? -1 : levels[toSize(slot.parent)];
    levels[s] = slot.joint < 0 ? above : std::max(above + 1, dependencies[toSize(chains[s])]);
    level_count = std::max(level_count, levels[s] + 1);
  }
  SpringLayout layout;
  layout.levels.resize(toSize(level_count));
  layout.lane_of.resize(rig.bones.size());
  layout.base_slots.resize(rig.bones.size());
  for (std::size_t s = rig.following_count; s < rig.slots.size(); ++s) {
    if (levels[s] < 0) continue;
    SpringLevel& level = layout.levels[toSize(levels[s])];
    const int joint = rig.slots[s].joint;
    if (joint < 0) {
      level.carried_slots.push_back(static_cast<int>(s));
      continue;
    }
    level.joints.push_back(joint);
    const Joint& owner = rig.joints[toSize(joint)];
    level.has_forks = level.has_forks || owner.bones_end - owner.bones_start > 1;
    int base = rig.slots[s].parent;
    while (base >= static_cast<int>(rig.following_count)) base = rig.slots[toSize(base)].parent;
    for (std::size_t b = owner.bones_start; b < owner.bones_end; ++b) {
      level.bones.push_back(static_cast<int>(b));
      layout.base_slots[b] = base;
    }
  }
  for (std::size_t i = 0; i < rig.colliders.size(); ++i) {
    if (rig.colliders[i].isFixed()) continue;
    const int level = levels[toSize(rig.colliders[i].slot)];
    if (level >= 0) layout.levels[toSize(level)].colliders.push_back(static_cast<int>(i));
  }
  for (SpringLevel& level : layout.levels) {
    level.start = layout.lane_count;
    for (std::size_t k = 0; k < level.bones.size(); ++k) {
      layout.lane_of[toSize(level.bones[k])] = level.start + k;
    }
    const std::size_t blocks = (level.bones.size() + kLaneBlock - 1) / kLaneBlock;
    level.end = layout.lane_count = level.start + blocks * kLaneBlock;
  }
  return layout;
}

std::vector<SpringBone> springBones(const Rig& rig, const DynamicBonesSettings& settings) {
  std::vector<SpringBone> bones;
  for (const Bone& bone : rig.bones) {
    const ChainSettings& chain = settings.chain[toSize(bone.chain)];
    SpringBone spring;
    // The frequency is that of the chain as a whole. Every bone follows the one above it. With one
    // frequency for all bones, a chain of many bones would be limp, and each bone would amplify the
    // swing of the previous one. The frequency of a bone that is one n-th of the chain is therefore
    // n times as high.
    spring.frequency_hz =
        bone.own.frequency_hz.value_or(chain.frequency_hz.at(bone.depth)) * bone.per_chain;
    spring.damping_ratio = bone.own.damping_ratio.value_or(chain.damping_ratio.at(bone.depth));
    spring.air_drag_per_s = bone.own.air_drag_per_s.value_or(chain.air_drag_per_s.at(bone.depth));
    spring.head_radius_m = bone.own.radius_m.value_or(chain.radius_m.at(bone.head_depth));
    spring.end_radius_m = bone.own.radius_m.value_or(chain.radius_m.at(bone.depth));
    spring.friction = bone.own.friction.value_or(chain.friction.at(bone.depth));
    spring.restitution = chain.restitution.at(bone.depth);
    spring.inverse_mass = 1.0 / chain.mass.at(bone.depth);
    spring.weight = chain.weight.at(bone.depth);
    spring.limit = limitOf(chain, bone.depth);
    spring.limit_softness = chain.limit_softness;
    spring.stretches = stretches(bone, settings);
    bones.push_back(spring);
  }
  return bones;
}

std::int64_t offsetOfWorld(const Rig& rig, int slot) {
  const std::size_t world = slot < 0 ? rig.slots.size() : toSize(slot);
  return static_cast<std::int64_t>(world * kAffineDoubles);
}

void fillConstants(const Rig& rig, const DynamicBonesSettings& settings, const SpringLayout& layout,
                   const std::vector<SpringBone>& bones, SpringLanes& lanes) {
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const Bone& bone = rig.bones[b];
    const ChainSettings& chain = settings.chain[toSize(bone.chain)];
    const std::size_t i = layout.lane_of[b];
    lanes.parent_world[i] = offsetOfWorld(rig, slotOf(rig, bone).parent);
    lanes.own_world[i] = offsetOfWorld(rig, rig.joints[toSize(bone.joint)].slot);
    lanes.base_world[i] = offsetOfWorld(rig, layout.base_slots[b]);
    lanes.gravity_mps2[i] = bone.own.gravity_mps2.value_or(chain.gravity_mps2.at(bone.depth));
    lanes.hangs[i] = chain.rest_includes_gravity ? 1.0 : 0.0;
    lanes.reach_m[i] = std::max(bones[b].head_radius_m, bones[b].end_radius_m);
    lanes.least_radius_m[i] = std::min(bones[b].head_radius_m, bones[b].end_radius_m);
    if (!bones[b].stretches) continue;
    lanes.shortest[i] = 1.0 - chain.max_squish.at(bone.depth);
    lanes.longest[i] = 1.0 + chain.max_stretch.at(bone.depth);
  }
}

void fillStep(const SpringLayout& layout, const std::vector<SpringBone>& bones, double step_s,
              SpringLanes& lanes) {
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const std::size_t i = layout.lane_of[b];
    const SpringStep step = makeSpringStep(bones[b].frequency_hz, bones[b].damping_ratio,
                                           bones[b].air_drag_per_s, step_s);
    lanes.kept[i] = step.kept;
    lanes.pulled[i] = step.pulled;
    lanes.force_s2[i] = step.force_s2;
    lanes.first_force_s2[i] = step.first_force_s2;
    lanes.target_share[i] = step.target_share;
    lanes.first_s[i] = step.first_s;
    lanes.pose_drag_per_s[i] = step.pose_drag_per_s;
  }
}

JointBase baseOf(const ChainSettings& chain, const Quat& animated, const Quat& rest) {
  JointBase base;
  base.drawn = chain.target_pose == TargetPose::kAnim ? animated : rest;
  base.rolled = chain.twist == TwistPolicy::kAnim   ? animated
                : chain.twist == TwistPolicy::kBind ? rest
                                                    : kIdentityRotation;
  return base;
}

PosedLimit poseLimit(const SpringBone& bone, const Quat& metric_from_parent, const Quat& drawn,
                     const Vec3& carried) {
  PosedLimit posed;
  if (bone.limit.kind == AngleLimit::Kind::kNone) return posed;
  posed.limit = &bone.limit;
  posed.softness = bone.limit_softness;
  const Vec3 bone_in_joint = glm::conjugate(drawn) * carried;
  const Quat from_y = rotationBetween(Vec3(0, 1, 0), bone_in_joint, Vec3(1, 0, 0));
  posed.metric_from_limit = metric_from_parent * drawn * from_y * bone.limit.rotation;
  return posed;
}

SpringPose::SpringPose(const Rig& rig, const DynamicBonesSettings& settings,
                       const Skeleton& skeleton, const SpringLayout& layout)
    : rig_(rig),
      settings_(settings),
      layout_(layout),
      watched_(rig, skeleton.size()),
      base_from_(rig.slots.size()) {
  for (const Joint& joint : rig.joints) {
    const int node = rig.slots[toSize(joint.slot)].node;
    rest_.push_back(skeleton.nodes[toSize(node)].rest);
    rest_.back().rotation = normalizedOrIdentity(rest_.back().rotation);
  }
}

bool SpringPose::update(std::span<const Transform> locals, SpringLanes& lanes) {
  if (!watched_.haveChanged(locals)) return false;
  fill(locals, lanes);
  return true;
}

void SpringPose::fill(std::span<const Transform> locals, SpringLanes& lanes) {
  for (std::size_t s = rig_.following_count; s < rig_.slots.size(); ++s) {
    const Slot& slot = rig_.slots[s];
    const Transform& local = locals[toSize(slot.node)];
    const bool hangs_on_swinging = slot.parent >= static_cast<int>(rig_.following_count);
    const Affine above = hangs_on_swinging ? base_from_[toSize(slot.parent)] : Affine();
    if (slot.joint < 0) {
      base_from_[s] = above * toAffine(local);
      continue;
    }
    const Joint& joint = rig_.joints[toSize(slot.joint)];
    const ChainSettings& chain = settings_.chain[toSize(rig_.bones[joint.bones_start].chain)];
    const JointBase base =
        baseOf(chain, normalizedOrIdentity(local.rotation), rest_[toSize(slot.joint)].rotation);
    const Vec3 scale = local.scale;
    base_from_[s] = above * toAffine({local.translation, base.drawn, scale});
    const Mat3 rolled = glm::mat3_cast(base.rolled);
    const Mat3 rotated(rolled[0] * scale.x, rolled[1] * scale.y, rolled[2] * scale.z);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t i = layout_.lane_of[b];
      const Vec3 offset = offsetInJoint(rig_.bones[b], locals);
      const Vec3 aim = base.rolled * (scale * offset);
      const double length = lengthOf(aim);
      lanes.joint_translation.set(i, local.translation);
      lanes.carried.set(i, base.drawn * (scale * offset));
      lanes.aim.set(i, aim);
      lanes.aim_direction.set(i, length > 0.0 ? aim / length : Vec3(0.0));
      lanes.rotated.set(i, rotated);
      lanes.drawn.set(i, base.drawn);
      lanes.up.set(i, base.drawn * (scale * rig_.bones[b].rest_up));
      lanes.in_base.set(i, transformPoint(base_from_[s], offset));
    }
  }
}

}  // namespace clipmill::stages::dynamic_bones
