// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "core/to_size.h"
#include "stages/dynamic_bones/springs/spring_solver.h"

/// A step of rods in a spring simulation: the free motion, contacts, neighbours, and the pose.
namespace clipmill::stages::dynamic_bones {

// What neighbours do to the velocities of rods. Their pull on positions gives none, so that
// neighbours and solids that contradict each other stay at rest.
void SpringSolver::slowCross() {
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    ends_[b] = lanes_.point.at(layout_.lane_of[b]);
  }
  rods_->readVelocities(velocities_);
  for (int sweep = 0; sweep < kCrossSweeps; ++sweep) {
    sweepCrossVelocities(cross_, inverse_masses_, ratio_ * step_s_, ends_, velocities_);
  }
  rods_->writeVelocities(velocities_);
}

// A joint with several bones rotates as its rod does, and on by the mean of what contacts add.
void SpringSolver::rotateForks(const SpringLevel& level) {
  if (!level.has_forks) return;
  for (int j : level.joints) {
    const Joint& owner = rig_.joints[toSize(j)];
    if (owner.bones_end - owner.bones_start < 2) continue;
    const Quat swing = rods_->forkSwing(toSize(j));
    MeanRotation mean;
    for (std::size_t b = owner.bones_start; b < owner.bones_end; ++b) {
      const std::size_t i = layout_.lane_of[b];
      const Vec3 path = lanes_.point.at(i) - lanes_.next_head.at(i);
      mean.add(rotationBetween(swing * lanes_.aim.at(i), glm::inverse(lanes_.linear.at(i)) * path));
    }
    const Quat rotation = normalizedOrIdentity(mean.value() * swing);
    for (std::size_t b = owner.bones_start; b < owner.bones_end; ++b) {
      lanes_.swing.set(layout_.lane_of[b], rotation);
    }
  }
}

void SpringSolver::poseLevel(const SpringLevel& level, std::span<const Transform> locals) {
  rotateLevel(level);
  rotateForks(level);
  finishLevel(level, locals);
  contacts_.move(level.colliders, worlds_);
}

// Poses the joints of a level by where their bones end.
void SpringSolver::aimAtPoints(const SpringLevel& level, std::span<const Transform> locals) {
  aimLanes(lanes_, worlds(), level.start, level.end, AimMode::kGivenPoint, true);
  poseLevel(level, locals);
}

// The same by where the rods are.
void SpringSolver::poseByRods(std::span<const Transform> locals) {
  for (std::size_t k = 0; k < layout_.levels.size(); ++k) {
    rods_->givePoints(k, lanes_);
    aimAtPoints(layout_.levels[k], locals);
  }
}

// Appends the contacts of the rods that were solved last; not those with solids of trees that
// penetrate by less than `beyond_m`.
void SpringSolver::findRodContacts(bool after_hold, double beyond_m) {
  // What hangs on rods that were held has moved, too.
  rods_->findPenetrations({contacts_.solids(), contacts_.capsules(), carries_, ratio_ * step_s_},
                          after_hold && !needs_poses_, beyond_m, rod_contacts_);
  findSkinContacts();
}

// Appends the contacts with the skin of where the rods are.
void SpringSolver::findSkinContacts() {
  if (!skin_) return;
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    const std::size_t i = layout_.lane_of[b];
    heads_[b] = lanes_.next_head.at(i);
    ends_[b] = lanes_.point.at(i);
  }
  skin_->find(worlds_, {heads_, ends_}, carries_, ratio_ * step_s_, rod_contacts_);
}

// Moves the rods as if there were no solids.
void SpringSolver::moveRodsFreely(std::span<const Transform> locals) {
  rods_->release();
  for (std::size_t k = 0; k < layout_.levels.size(); ++k) {
    counts_.unsolved += rods_->move(k, worlds_, lanes_);
    if (!needs_poses_) continue;
    rods_->givePoints(k, lanes_);
    aimAtPoints(layout_.levels[k], locals);
  }
}

void SpringSolver::pullTo(std::span<const Vec3> ends, double share) {
  pull_ends_.assign(ends.begin(), ends.end());
  pull_share_ = share;
}

void SpringSolver::pull() {
  if (pull_share_ <= 0.0) return;
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    const std::size_t i = layout_.lane_of[b];
    const Vec3 end = lanes_.point.at(i);
    if (isFinite(pull_ends_[b])) lanes_.point.set(i, end + (pull_ends_[b] - end) * pull_share_);
  }
  pull_share_ = 0.0;
}

// Rotates bones out of the skin after neighbours have moved them.
void SpringSolver::leaveSkin(std::span<const Transform> locals) {
  constexpr int kRounds = 5;
  constexpr double kFarIn_m = 3e-4;  // worth another round
  for (int round = 0; round < kRounds; ++round) {
    for (const SpringLevel& level : layout_.levels) {
      aimLanes(lanes_, worlds(), level.start, level.end, AimMode::kGivenPoint, true);
      contacts_.limit(level, lanes_);
      poseLevel(level, locals);
    }
    rods_->release();
    rod_contacts_.clear();
    findSkinContacts();
    double correction_m = 0.0;
    for (const RodContact& contact : rod_contacts_) {
      rods_->hold(contact);
      correction_m = std::max(correction_m, contact.correction_m);
    }
    if (correction_m < kFarIn_m) break;
    rods_->rotateOut(lanes_);
    for (std::size_t k = 0; k < layout_.levels.size(); ++k) rods_->givePoints(k, lanes_);
  }
}

void SpringSolver::moveRods(std::span<const Transform> locals) {
  constexpr int kRounds = 3;
  constexpr double kFarIn_m = 3e-4;  // worth another round
  constexpr double kRemains_m = 1e-3;
  moveRodsFreely(locals);
  rod_contacts_.clear();
  findRodContacts(false, 0.0);
  for (int round = 0; round < kRounds; ++round) {
    if (!rods_->hold(rod_contacts_, round == 0 ? 0.0 : kFarIn_m)) break;
    counts_.unsolved += rods_->solveHeld();
    if (needs_poses_) poseByRods(locals);
    rod_contacts_.clear();
    findRodContacts(true, kFarIn_m);
  }
  counts_.unresolved_contacts += toSize(
      std::count_if(rod_contacts_.begin(), rod_contacts_.end(),
                    [](const RodContact& contact) { return contact.correction_m > kRemains_m; }));
  for (std::size_t k = 0; k < layout_.levels.size(); ++k) rods_->givePoints(k, lanes_);
  rods_->applyImpulses();
  if (!cross_.empty()) {
    solveCross();
    slowCross();
  }
  pull();
  if (skin_) leaveSkin(locals);
  for (const SpringLevel& level : layout_.levels) {
    counts_.resets +=
        aimLanes(lanes_, worlds(), level.start, level.end, AimMode::kGivenPoint, true);
    contacts_.limit(level, lanes_);
    poseLevel(level, locals);
    commitLanes(lanes_, level.start, level.end);
  }
  rods_->finishStep(lanes_);
}

}  // namespace clipmill::stages::dynamic_bones
