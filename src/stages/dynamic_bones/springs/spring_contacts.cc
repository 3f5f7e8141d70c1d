// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring_contacts.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
SpringContacts::SpringContacts(const Rig& rig, const SpringLayout& layout,
                               const std::vector<SpringBone>& bones)
    : rig_(rig),
      bones_(bones),
      near_(layout.lane_count),
      can_overlap_(layout.lane_count),
      can_pass_(layout.lane_count),
      allowed_(allowedSolids(rig)) {
  for (const RigCollider& collider : rig.colliders) bodies_.push_back(collider.solid);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    MovingSolid moving;
    moving.solid = &bodies_[i];
    solids_.push_back(moving);
    follows_.push_back(rig.colliders[i].slot < static_cast<int>(rig.following_count));
  }
  capsules_.resize(solids_.size());
  motions_.resize(solids_.size());
  for (const SpringBone& bone : bones) {
    limited_.push_back(bone.limit.kind != AngleLimit::Kind::kNone);
    has_limits_ = has_limits_ || limited_.back();
  }
}

void SpringContacts::start(std::span<const Affine> worlds) {
  for (std::size_t i = 0; i < solids_.size(); ++i) {
    solids_[i].before = solids_[i].now = rig_.colliders[i].poseAt(worlds);
  }
}

void SpringContacts::start(std::span<const int> colliders, std::span<const Affine> worlds) {
  for (int i : colliders) {
    MovingSolid& solid = solids_[toSize(i)];
    solid.before = solid.now = rig_.colliders[toSize(i)].poseAt(worlds);
  }
  if (!colliders.empty()) encloseAll();
}

void SpringContacts::startStep(std::span<const Affine> worlds) {
  for (std::size_t i = 0; i < solids_.size(); ++i) {
    solids_[i].before = solids_[i].now;
    if (follows_[i]) solids_[i].now = rig_.colliders[i].poseAt(worlds);
  }
  encloseAll();
}

void SpringContacts::move(std::span<const int> colliders, std::span<const Affine> worlds) {
  for (int i : colliders) {
    solids_[toSize(i)].now = rig_.colliders[toSize(i)].poseAt(worlds);
  }
  if (!colliders.empty()) encloseAll();
}

void SpringContacts::carry(const Carry& map) {
  for (std::size_t i = 0; i < solids_.size(); ++i) {
    if (rig_.colliders[i].isFixed()) continue;
    MovingSolid& solid = solids_[i];
    solid.now = {map.rotation * solid.now.rotation, map.point(solid.now.position)};
  }
}

void SpringContacts::encloseAll() {
  for (std::size_t i = 0; i < solids_.size(); ++i) {
    encloseMotion(solids_[i]);
    capsules_.set(i, pathCapsuleOf(solids_[i]));
    motions_.set(i, solids_[i]);
  }
}

void SpringContacts::findNear(const SpringLevel& level, const SpringLanes& lanes) {
  of_bone_.resize(std::max(of_bone_.size(), level.bones.size()));
  is_clear_.assign(of_bone_.size(), 1);
  is_slow_.assign(of_bone_.size(), 1);
  for (std::size_t k = 0; k < level.bones.size(); ++k) of_bone_[k].clear();
  for (std::size_t first = 0; first < solids_.size(); first += kSolidBlock) {
    findNearCapsules(lanes, level.start, level.end, capsules_, motions_, first,
                     {near_, can_overlap_, can_pass_});
    const std::uint64_t* allowed = allowed_.data() + first / kSolidBlock * rig_.bones.size();
    for (std::size_t k = 0; k < level.bones.size(); ++k) {
      const std::uint64_t mask = allowed[toSize(level.bones[k])];
      if ((can_overlap_[level.start + k] & mask) != 0) is_clear_[k] = 0;
      if ((can_pass_[level.start + k] & mask) != 0) is_slow_[k] = 0;
      std::uint64_t left = near_[level.start + k] & mask;
      for (std::size_t i = first; left != 0; ++i, left >>= 1) {
        if (left & 1) of_bone_[k].push_back(&solids_[i]);
      }
    }
  }
}

PosedLimit SpringContacts::limitOf(std::size_t bone, const SpringLanes& lanes,
                                   std::size_t lane) const {
  if (!limited_[bone]) return {};
  const Quat metric_from_parent = rotationOf({lanes.linear.at(lane), Vec3(0.0)});
  return poseLimit(bones_[bone], metric_from_parent, lanes.drawn.at(lane), lanes.carried.at(lane));
}

// The motion that a chain is carried along with applies to the solids too.
std::span<const MovingSolid* const> SpringContacts::carriedAlong(
    std::span<const MovingSolid* const> solids, const Carry& map) {
  carried_.clear();
  for (const MovingSolid* solid : solids) {
    carried_.push_back(*solid);
    RigidPose& before = carried_.back().before;
    before = {map.rotation * before.rotation, map.point(before.position)};
    encloseMotion(carried_.back());
  }
  carried_solids_.clear();
  for (const MovingSolid& solid : carried_) carried_solids_.push_back(&solid);
  return carried_solids_;
}

BoneStep SpringContacts::stepOf(std::size_t bone, const SpringLanes& lanes,
                                std::size_t lane) const {
  const SpringBone& spring = bones_[bone];
  BoneStep step;
  step.head_before = lanes.head.at(lane);
  step.head = lanes.next_head.at(lane);
  step.end_before = lanes.endBefore(lane);
  step.end = lanes.point.at(lane);
  step.length_m = lanes.length_m[lane];
  step.head_radius_m = spring.head_radius_m;
  step.end_radius_m = spring.end_radius_m;
  step.friction = spring.friction;
  step.restitution = spring.restitution;
  step.limit = limitOf(bone, lanes, lane);
  return step;
}

std::size_t SpringContacts::resolve(const SpringLevel& level, SpringLanes& lanes,
                                    std::span<const std::optional<Carry>> carries, bool is_first) {
  constexpr double kSqueezed_m = 1e-6;
  if (empty()) return 0;
  std::size_t squeezed = 0;
  findNear(level, lanes);
  for (std::size_t k = 0; k < level.bones.size(); ++k) {
    const std::size_t b = toSize(level.bones[k]), lane = level.start + k;
    std::span<const MovingSolid* const> near = of_bone_[k];
    const bool has_limit = limited_[b] != 0;
    if (near.empty() && !has_limit) continue;
    const std::optional<Carry>& carry = carries[toSize(rig_.bones[b].chain)];
    // The broad phase is not valid if a limit or a carry moves the bone or the solids first.
    if (is_clear_[k] && !has_limit && !carry) continue;
    if (carry) near = carriedAlong(near, *carry);
    const BoneStep step = stepOf(b, lanes, lane);
    const ContactResult result = resolveContacts(near, step, !is_slow_[k] || has_limit || carry);
    if (!isFinite(result.end)) continue;
    if (result.remaining_m > kSqueezed_m) ++squeezed;
    lanes.point.set(lane, result.end);
    // A bone that starts inside a solid is moved outside without velocity.
    lanes.contact_shift.set(lane,
                            is_first ? result.end - step.end : result.end_before - step.end_before);
  }
  return squeezed;
}

void SpringContacts::limit(const SpringLevel& level, SpringLanes& lanes) const {
  if (!has_limits_) return;
  for (std::size_t k = 0; k < level.bones.size(); ++k) {
    const std::size_t b = toSize(level.bones[k]), lane = level.start + k;
    const PosedLimit limit = limitOf(b, lanes, lane);
    const Vec3 head = lanes.next_head.at(lane), path = lanes.point.at(lane) - head;
    if (!limit.limit || !(lanes.length_m[lane] > 0.0)) continue;
    const Vec3 direction = limitedDirection(limit, path / lanes.length_m[lane]);
    lanes.point.set(lane, head + direction * lanes.length_m[lane]);
  }
}

}  // namespace clipmill::stages::dynamic_bones
