// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_penetrations.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "anim/pose.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/colliders/bone_distance.h"
#include "stages/dynamic_bones/rods/rod_step.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// A bone from `start`, a share of its length, on.
BoneShape shapeFrom(double start, const Vec3& head, const Vec3& end, const SpringBone& bone) {
  const Vec3 path = (end - head) * (1.0 - start);
  const double radius_m = bone.head_radius_m + (bone.end_radius_m - bone.head_radius_m) * start;
  return {end - path, end, glm::length(path), radius_m, bone.end_radius_m};
}

// By how far the penetration depth of a bone is above a limit. Mostly it is below.
double depthBeyond(double limit_m, const PosedSolid& solid, const BoneShape& bone) {
  if (!(depthBound_m(solid, bone) > limit_m)) return 0.0;
  return std::max(0.0, -boneDistance(solid, bone).distance_m - limit_m);
}

Vec3 headOf(const RodPointLanes& ends, const RodPointLanes& heads, const RodBatch::Joint& joint,
            std::size_t lane) {
  return joint.parent_bone < 0 ? heads.position_m.at(lane)
                               : ends.position_m.at(RodBatch::at(toSize(joint.parent_bone), lane));
}

}  // namespace

RodPenetrations::RodPenetrations(const Rig& rig, const Scene& scene,
                                 const std::vector<SpringBone>& bones, const RodSystem& system)
    : rig_(rig), bones_(bones) {
  std::vector<Transform> locals;
  for (const Node& node : scene.skeleton.nodes) locals.push_back(node.rest);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, locals, scene.metric_from_file, worlds);
  for (const RodBatch& batch : system.batches) {
    const std::size_t count = batch.rig_bones.size();
    RodReach reach;
    reach.radius_m.assign(count, 0.0);
    reach.rest_depth_m.assign(rig.colliders.size(),
                              Column(count, std::numeric_limits<double>::infinity()));
    for (std::size_t at = 0; at < count; ++at) {
      if (batch.rig_bones[at] < 0) continue;
      const std::size_t bone = toSize(batch.rig_bones[at]);
      reach.radius_m[at] = std::max(bones[bone].head_radius_m, bones[bone].end_radius_m);
      for (int solid : rig.colliders_of_bone[bone]) {
        reach.rest_depth_m[toSize(solid)][at] = restDepth_m(bone, toSize(solid), worlds);
      }
    }
    reaches_.push_back(std::move(reach));
  }
}

double RodPenetrations::restDepth_m(std::size_t bone, std::size_t solid,
                                    std::span<const Affine> worlds) const {
  const auto worldOf = [&](int slot) { return worlds[toSize(rig_.slots[toSize(slot)].node)]; };
  const Bone& rod = rig_.bones[bone];
  const Affine joint = worldOf(rig_.joints[toSize(rod.joint)].slot);
  const Vec3 end = rod.tail_node >= 0 ? worlds[toSize(rod.tail_node)].translation
                                      : transformPoint(joint, rod.tip_offset);
  const RigCollider& collider = rig_.colliders[solid];
  const RigidPose pose = collider.isFixed() ? RigidPose() : rigidPoseOf(worldOf(collider.slot));
  const BoneShape shape =
      shapeFrom(rod.parent < 0 ? kClampedShare : 0.0, joint.translation, end, bones_[bone]);
  return std::max(0.0, -boneDistance(poseSolid(collider.solid, pose), shape).distance_m);
}

// Bit k: a bone of the tree of lane k can penetrate a solid by more than that.
std::uint32_t RodPenetrations::lanesBeyond(double depth_m, const RodBatch& batch,
                                           const RodReach& reach, const SteppedSolids& stepped) {
  std::uint32_t lanes = 0;
  for (std::size_t first = 0; first < stepped.solids.size(); first += kSolidBlock) {
    findPenetratingRods(batch, reach, stepped.capsules, first, depth_m, penetrating_);
    for (std::size_t at = 0; at < penetrating_.size(); ++at) {
      if (penetrating_[at] != 0) lanes |= 1U << (at % kLaneBlock);
    }
  }
  return lanes;
}

void RodPenetrations::find(const RodSystem& system, std::size_t batch_index, double beyond_m,
                           const SteppedSolids& stepped, std::vector<RodContact>& contacts) {
  const RodBatch& batch = system.batches[batch_index];
  const RodReach& reach = reaches_[batch_index];
  penetrating_.assign(batch.rig_bones.size(), 0);
  const std::uint32_t lanes =
      beyond_m > 0.0 ? lanesBeyond(beyond_m, batch, reach, stepped) : kAllLanes;
  if (lanes == 0) return;
  for (std::size_t first = 0; first < stepped.solids.size(); first += kSolidBlock) {
    findPenetratingRods(batch, reach, stepped.capsules, first, 0.0, penetrating_);
    for (const RodBatch::Joint& joint : batch.joints) {
      for (std::size_t at = RodBatch::at(joint.bones_start, 0);
           at < RodBatch::at(joint.bones_end, 0); ++at) {
        if ((lanes >> (at % kLaneBlock) & 1U) == 0) continue;
        for (std::uint64_t left = penetrating_[at]; left != 0; left &= left - 1) {
          const std::size_t solid = first + toSize(std::countr_zero(left));
          addContact(batch, joint, at, solid, reach.rest_depth_m[solid][at], stepped, contacts);
        }
      }
    }
  }
}

void RodPenetrations::addContact(const RodBatch& batch, const RodBatch::Joint& joint,
                                 std::size_t at, std::size_t solid_index, double rest_m,
                                 const SteppedSolids& stepped,
                                 std::vector<RodContact>& contacts) const {
  // A bone leaves what it was in at this speed at most.
  constexpr double kLeaving_mps = 0.5;
  constexpr double kContact_m = 1e-6;
  const std::size_t bone = toSize(batch.rig_bones[at]), lane = at % kLaneBlock;
  const MovingSolid& solid = stepped.solids[solid_index];
  const double start = joint.parent_bone < 0 ? kClampedShare : 0.0;
  const BoneShape now = shapeFrom(start, headOf(batch.next, batch.next_head, joint, lane),
                                  batch.next.position_m.at(at), bones_[bone]);
  const BoneDistance nearest = boneDistance(solid.posed, now);
  const double depth_m = -nearest.distance_m - rest_m;
  if (!(depth_m > kContact_m)) return;
  const std::optional<Carry>& carry = stepped.carries[toSize(rig_.bones[bone].chain)];
  RigidPose before = solid.before;
  if (carry) before = {carry->rotation * before.rotation, carry->point(before.position)};
  const BoneShape old = shapeFrom(start, headOf(batch.end, batch.head, joint, lane),
                                  batch.end.position_m.at(at), bones_[bone]);
  const double leaving_m = kLeaving_mps * stepped.step_s;
  const double old_m = carry ? depthBeyond(leaving_m + rest_m, poseSolid(*solid.solid, before), old)
                             : depthBeyond(leaving_m + rest_m, solid.posed_before, old);
  RodContact contact;
  contact.bone = bone;
  contact.solid = static_cast<int>(solid_index);
  contact.share = start + (1.0 - start) * nearest.along;
  contact.point_m = now.head + (now.end - now.head) * nearest.along;
  contact.normal = nearest.away;
  contact.correction_m = depth_m - old_m;
  if (!(contact.correction_m > kContact_m)) return;
  const Vec3 moved = contact.point_m - before.toWorld(solid.now.toOwn(contact.point_m));
  contact.speed_mps = glm::dot(moved, contact.normal) / stepped.step_s;
  contact.friction = bones_[bone].friction;
  contacts.push_back(contact);
}

}  // namespace clipmill::stages::dynamic_bones
