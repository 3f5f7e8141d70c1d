// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/to_size.h"
#include "stages/dynamic_bones/springs/spring_solver.h"

/// What a spring simulation starts with: the clip's first pose and velocity, or another clip's end.
namespace clipmill::stages::dynamic_bones {
void SpringSolver::start(std::span<const Transform> locals, double time_s) {
  follow(locals);
  pose_.update(locals, lanes_);
  if (rods_) rods_->pose(locals);
  for (std::size_t i = 0; i < lanes_.count; ++i) lanes_.pose_velocity.set(i, Vec3(0.0));
  poseLanes(lanes_, worlds());
  lanes_.posed = lanes_.posed_before = lanes_.target = lanes_.next_posed;
  for (std::optional<Carry>& carry : carries_) carry.reset();
  contacts_.start(worlds_);
  contacts_.startStep(worlds_);
  // The pose itself is a step whose points are those of the pose, moved out of solids.
  for (const SpringLevel& level : layout_.levels) {
    for (std::size_t i = level.start; i < level.end; ++i) {
      lanes_.point.set(i, lanes_.posed.at(i));
      lanes_.bone.set(i, Vec3(0.0));
    }
    aimLanes(lanes_, worlds(), level.start, level.end, AimMode::kGivenPoint, true);
    startAtPose(level);
    if (!rods_) counts_.unresolved_contacts += contacts_.resolve(level, lanes_, carries_, true);
    rotateLanes(lanes_, level.start, level.end);
    choose(level);
    finishLevel(level, locals);
    contacts_.start(level.colliders, worlds_);
    commitLanes(lanes_, level.start, level.end);
    for (std::size_t i = level.start; i < level.end; ++i) {
      lanes_.offset_before.set(i, lanes_.offset.at(i));
      lanes_.target_move.set(i, Vec3(0.0));
    }
  }
  lanes_.last_swing = lanes_.swing;
  for (std::size_t chain = 0; chain < inertia_.size(); ++chain) {
    const int slot = rig_.inertia_slots[chain];
    inertia_[chain] = slot < 0 ? RigidPose() : rigidPoseOf(worlds_[toSize(slot)]);
  }
  applyWind(time_s);
  if (rods_) rods_->start(lanes_, worlds_);
  if (skin_) skin_->start(worlds_);
  is_first_ = true;
}

// No velocity before the pose.
void SpringSolver::startAtPose(const SpringLevel& level) {
  for (std::size_t i = level.start; i < level.end; ++i) {
    lanes_.head.set(i, lanes_.next_head.at(i));
    lanes_.target.set(i, lanes_.point.at(i));
    lanes_.offset.set(i, Vec3(0.0));
  }
}

void SpringSolver::addToVelocity(std::span<const Transform> locals, double weight) {
  follow(locals);
  pose_.update(locals, lanes_);
  if (rods_) rods_->pose(locals);
  poseLanes(lanes_, worlds());
  for (std::size_t i = 0; i < lanes_.count; ++i) {
    lanes_.pose_velocity.set(i, lanes_.pose_velocity.at(i) + lanes_.next_posed.at(i) * weight);
  }
}

void SpringSolver::startMoving() {
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    const std::size_t i = layout_.lane_of[b];
    const Vec3 velocity = lanes_.pose_velocity.at(i);
    lanes_.target_move.set(i, velocity * step_s_);
    lanes_.posed_before.set(i, lanes_.posed.at(i) - velocity * step_s_);
    if (rods_) rods_->addVelocity(b, velocity);
  }
}

void SpringSolver::continueFrom(std::span<const Transform> locals, std::span<const Vec3> ends,
                                std::span<const Vec3> ends_before) {
  follow(locals);
  pose_.update(locals, lanes_);
  if (rods_) rods_->pose(locals);
  for (const SpringLevel& level : layout_.levels) {
    for (int b : level.bones) {
      const std::size_t i = layout_.lane_of[toSize(b)];
      if (isFinite(ends[toSize(b)])) lanes_.point.set(i, ends[toSize(b)]);
    }
    aimLanes(lanes_, worlds(), level.start, level.end, AimMode::kGivenPoint, true);
    rotateLevel(level);
    finishLevel(level, locals);
    contacts_.move(level.colliders, worlds_);
    commitLanes(lanes_, level.start, level.end);
  }
  std::vector<Vec3> speeds(rig_.bones.size());
  // The speed is that of the other clip's end, and targets move as the clip does.
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    const std::size_t i = layout_.lane_of[b];
    const Vec3 move = lanes_.pose_velocity.at(i) * step_s_;
    lanes_.target_move.set(i, move);
    lanes_.posed_before.set(i, lanes_.posed.at(i) - move);
    const bool is_known = isFinite(ends[b]) && isFinite(ends_before[b]);
    const Vec3 path = is_known ? ends[b] - ends_before[b] : move;
    lanes_.offset_before.set(i, lanes_.offset.at(i) - path + move);
    speeds[b] = path / step_s_;
  }
  if (rods_) {
    rods_->start(lanes_, worlds_);
    for (std::size_t b = 0; b < speeds.size(); ++b) rods_->setVelocity(b, speeds[b]);
  }
  lanes_.last_swing = lanes_.swing;
  is_first_ = false;
}

}  // namespace clipmill::stages::dynamic_bones
