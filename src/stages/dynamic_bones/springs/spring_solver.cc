// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/to_size.h"
#include "stages/dynamic_bones/springs/cycle.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Least compliance of such a constraint, as a share of h^2 (1/m_a + 1/m_b). Without it, the error
// after a few sweeps becomes velocity, and a skirt in a walk becomes unstable.
constexpr double kMinSoftness = 0.05;

Wind loopingWindOf(const DynamicBonesSettings& settings, double loop_s) {
  Wind wind = windOf(settings);
  wind.loop_s = loop_s;
  return wind;
}

bool isWindy(const DynamicBonesSettings& settings) {
  return std::any_of(settings.wind_mps2.begin(), settings.wind_mps2.end(),
                     [](double part) { return part != 0.0; });
}

}  // namespace

SpringSolver::SpringSolver(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                           double step_s, double loop_s)
    : rig_(rig),
      settings_(settings),
      step_s_(step_s),
      metric_from_file_(scene.metric_from_file),
      wind_(loopingWindOf(settings, loop_s)),
      has_wind_(isWindy(settings)),
      layout_(makeSpringLayout(rig, settings.chain.size())),
      bones_(springBones(rig, settings)),
      lanes_(layout_.lane_count, rig.slots.size() + 1),
      pose_(rig, settings, scene.skeleton, layout_),
      contacts_(rig, layout_, bones_),
      worlds_(rig.slots.size() + 2),
      inertia_(settings.chain.size()),
      carries_(settings.chain.size()),
      heads_(rig.bones.size()),
      ends_(rig.bones.size()),
      velocities_(rig.bones.size()) {
  fillConstants(rig, settings, layout_, bones_, lanes_);
  fillStep(layout_, bones_, step_s, lanes_);
  for (const SpringBone& bone : bones_) inverse_masses_.push_back(bone.inverse_mass);
  if (settings.method == DynamicBonesMethod::kRod) {
    rods_.emplace(rig, settings, scene, layout_, bones_);
    counts_.stiffened = rods_->stiffenedCount();
    if (rig.skin && settings.colliders == ColliderSource::kSkin) skin_.emplace(rig, scene, bones_);
    needs_poses_ = skin_ || !rods_->hangsOnClip() ||
                   std::any_of(layout_.levels.begin(), layout_.levels.end(),
                               [](const SpringLevel& level) { return !level.colliders.empty(); });
  }
  cross_ = makeCrossConstraints(scene, rig, settings);
  for (CrossConstraint& pair : cross_.all) {
    const double masses = inverse_masses_[pair.a] + inverse_masses_[pair.b];
    const double least = kMinSoftness * step_s * step_s * masses;
    pair.compliance = std::max(pair.compliance, least);
    pair.slack_compliance = std::max(pair.slack_compliance, least);
  }
  multipliers_.resize(cross_.all.size());
}

double SpringSolver::slowestDecay_per_s() const {
  return rods_ ? rods_->slowestDecay_per_s() : dynamic_bones::slowestDecay_per_s(rig_, settings_);
}

const ChainSettings& SpringSolver::chainOf(const Bone& bone) const {
  return settings_.chain[toSize(bone.chain)];
}

void SpringSolver::follow(std::span<const Transform> locals) {
  worlds_[rig_.slots.size()] = metric_from_file_;
  for (std::size_t s = 0; s < rig_.following_count; ++s) {
    const Slot& slot = rig_.slots[s];
    const Affine& above = slot.parent < 0 ? metric_from_file_ : worlds_[toSize(slot.parent)];
    worlds_[s] = above * toAffine(locals[toSize(slot.node)]);
  }
}

void SpringSolver::followSlots(std::span<const int> slots, std::span<const Transform> locals) {
  for (int s : slots) {
    const Slot& slot = rig_.slots[toSize(s)];
    worlds_[toSize(s)] = worlds_[toSize(slot.parent)] * toAffine(locals[toSize(slot.node)]);
  }
}

// The clip's own pose of the next grid time; gives its velocity at the last one.
void SpringSolver::movePose(double step_s) {
  if (is_first_) {
    poseLanes(lanes_, worlds());
  } else {
    movePoseLanes(lanes_, worlds(), 1.0 / (2.0 * step_s));
  }
  std::swap(lanes_.posed_before, lanes_.posed);
  std::swap(lanes_.posed, lanes_.next_posed);
}

// Prepares steps of another length: computes the constants, and scales the moves of the last step.
void SpringSolver::setStepRatio(double ratio) {
  if (ratio == ratio_) return;
  fillStep(layout_, bones_, ratio * step_s_, lanes_);
  const double scale = ratio / ratio_;
  for (std::size_t i = 0; i < lanes_.count; ++i) {
    const Vec3 offset = lanes_.offset.at(i), posed = lanes_.posed.at(i);
    lanes_.offset_before.set(i, offset - (offset - lanes_.offset_before.at(i)) * scale);
    lanes_.target_move.set(i, lanes_.target_move.at(i) * scale);
    lanes_.posed_before.set(i, posed - (posed - lanes_.posed_before.at(i)) * scale);
  }
  ratio_ = ratio;
}

// Finds the motion that each chain takes part in without inertia, and applies it to its state.
void SpringSolver::findCarries(double time_s, double step_s, const JumpTable* jumps) {
  int posed_slot = -1;
  RigidPose now;
  for (std::size_t chain = 0; chain < carries_.size(); ++chain) {
    carries_[chain].reset();
    const int slot = rig_.inertia_slots[chain], attachment = rig_.attachment_slots[chain];
    if (slot < 0) continue;
    // Neighbouring chains mostly have the same parent node.
    if (std::exchange(posed_slot, slot) != slot) now = rigidPoseOf(worlds_[toSize(slot)]);
    const bool jumps_now = jumps && attachment >= 0 && jumps->at(chain, time_s, step_s).is_in;
    carries_[chain] = carryOf(settings_.chain[chain], inertia_[chain], now, step_s, jumps_now);
    inertia_[chain] = now;
    if (!carries_[chain]) continue;
    if (is_first_) removeInitialVelocity(static_cast<int>(chain), *carries_[chain], step_s);
    carryBones(static_cast<int>(chain), *carries_[chain]);
  }
}

// That motion is not part of the initial velocity.
void SpringSolver::removeInitialVelocity(int chain, const Carry& map, double step_s) {
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    if (rig_.bones[b].chain != chain) continue;
    const std::size_t i = layout_.lane_of[b];
    const Vec3 posed = lanes_.posed.at(i);
    const Vec3 carried = (map.point(posed) - posed) / step_s;
    lanes_.pose_velocity.set(i, lanes_.pose_velocity.at(i) - carried);
  }
}

void SpringSolver::carryBones(int chain, const Carry& map) {
  if (rods_) rods_->carry(chain, map);
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    if (rig_.bones[b].chain != chain) continue;
    const std::size_t i = layout_.lane_of[b];
    for (Vec3Lanes* points : {&lanes_.target, &lanes_.posed, &lanes_.posed_before, &lanes_.head}) {
      points->set(i, map.point(points->at(i)));
    }
    for (Vec3Lanes* vectors : {&lanes_.offset, &lanes_.offset_before, &lanes_.target_move,
                               &lanes_.bone, &lanes_.pose_velocity}) {
      vectors->set(i, map.vector(vectors->at(i)));
    }
  }
}

void SpringSolver::carry(const Carry& map) {
  for (std::size_t chain = 0; chain < settings_.chain.size(); ++chain) {
    carryBones(static_cast<int>(chain), map);
    RigidPose& pose = inertia_[chain];
    pose = {map.rotation * pose.rotation, map.point(pose.position)};
  }
  contacts_.carry(map);
  if (skin_) skin_->carry(map);
}

// The rotation of a joint where the shortest arc of one bone does not determine it: at forks, for
// 180 degrees, and under smoothing.
Quat SpringSolver::chosenRotation(std::size_t joint) const {
  const Joint& owner = rig_.joints[joint];
  const Quat last = lanes_.last_swing.at(layout_.lane_of[owner.bones_start]);
  const Vec3 last_axis(last.x, last.y, last.z);
  MeanRotation mean;
  for (std::size_t b = owner.bones_start; b < owner.bones_end; ++b) {
    const std::size_t i = layout_.lane_of[b];
    const Vec3 aim = lanes_.aim.at(i);
    if (lanes_.swing.w[i] != 0.0) {
      if (aim != Vec3(0.0)) mean.add(lanes_.swing.at(i));
      continue;
    }
    const Vec3 path = lanes_.point.at(i) - lanes_.next_head.at(i);
    mean.add(rotationBetween(aim, glm::inverse(lanes_.linear.at(i)) * path, last_axis));
  }
  const Quat wanted = mean.value();
  if (smoothing_ >= 1.0) return wanted;
  const Quat swing = slerp(last, wanted, smoothing_);
  if (owner.bones_end - owner.bones_start != 1) return swing;
  // The interpolation of two arcs is no arc: only its direction is kept; the roll is that of the
  // base.
  const Vec3 aim = lanes_.aim.at(layout_.lane_of[owner.bones_start]);
  return rotationBetween(aim, swing * aim, Vec3(swing.x, swing.y, swing.z));
}

void SpringSolver::choose(const SpringLevel& level) {
  for (int joint : level.joints) {
    const Joint& owner = rig_.joints[toSize(joint)];
    const Quat rotation = chosenRotation(toSize(joint));
    for (std::size_t b = owner.bones_start; b < owner.bones_end; ++b) {
      lanes_.swing.set(layout_.lane_of[b], rotation);
    }
  }
}

void SpringSolver::rotateLevel(const SpringLevel& level) {
  const bool has_half_rotation = rotateLanes(lanes_, level.start, level.end);
  if (has_half_rotation || level.has_forks || smoothing_ < 1.0) choose(level);
}

// Poses the slots below the joints of a level.
void SpringSolver::finishLevel(const SpringLevel& level, std::span<const Transform> locals) {
  carryLanes(lanes_, worlds(), level.start, level.end);
  followSlots(level.carried_slots, locals);
}

void SpringSolver::moveLevels(std::span<const Transform> locals, AimMode mode) {
  for (const SpringLevel& level : layout_.levels) {
    counts_.resets += aimLanes(lanes_, worlds(), level.start, level.end, mode, true);
    counts_.unresolved_contacts +=
        contacts_.resolve(level, lanes_, carries_, mode == AimMode::kFirst);
    rotateLevel(level);
    finishLevel(level, locals);
    contacts_.move(level.colliders, worlds_);
    commitLanes(lanes_, level.start, level.end);
  }
}

void SpringSolver::moveTogether(std::span<const Transform> locals, AimMode mode) {
  for (const SpringLevel& level : layout_.levels) {
    counts_.resets += aimLanes(lanes_, worlds(), level.start, level.end, mode, true);
    rotateLevel(level);
    finishLevel(level, locals);
  }
  solveCross();
  for (const SpringLevel& level : layout_.levels) {
    aimLanes(lanes_, worlds(), level.start, level.end, AimMode::kGivenPoint, true);
    counts_.unresolved_contacts +=
        contacts_.resolve(level, lanes_, carries_, mode == AimMode::kFirst);
    rotateLevel(level);
    finishLevel(level, locals);
    contacts_.move(level.colliders, worlds_);
    commitLanes(lanes_, level.start, level.end);
  }
}

void SpringSolver::solveCross() {
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    ends_[b] = lanes_.point.at(layout_.lane_of[b]);
  }
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  for (int sweep = 0; sweep < kCrossSweeps; ++sweep) {
    sweepCrossConstraints(cross_, inverse_masses_, ratio_ * step_s_, multipliers_, ends_);
  }
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    if (isFinite(ends_[b])) lanes_.point.set(layout_.lane_of[b], ends_[b]);
  }
}

void SpringSolver::applyWind(double time_s) {
  if (!has_wind_) return;
  const WindAt wind = wind_.at(time_s);
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    const std::size_t i = layout_.lane_of[b];
    const Vec3 end = lanes_.head.at(i) + lanes_.bone.at(i);
    const Vec3 push_mps2 = wind.at(end, rig_.bones[b].depth);
    if (rods_) rods_->setWind(b, push_mps2);
    lanes_.acceleration.set(i, lanes_.acceleration.at(i) + push_mps2);
  }
}

// After a jump that resets, chains start again from their pose.
void SpringSolver::resetAfterJumps(double time_s, double step_s, const JumpTable* jumps) {
  if (!jumps) return;
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    if (!jumps->at(toSize(rig_.bones[b].chain), time_s, step_s).ends) continue;
    const std::size_t i = layout_.lane_of[b];
    lanes_.offset.set(i, Vec3(0.0));
    lanes_.offset_before.set(i, Vec3(0.0));
    if (rods_) rods_->reset(b, lanes_);
  }
}

void SpringSolver::step(std::span<const Transform> locals, double time_s, double ratio,
                        const JumpTable* jumps) {
  const double step_s = ratio * step_s_;
  setStepRatio(ratio);
  smoothing_ = smoothingOver(settings_.smoothing, step_s);
  follow(locals);
  const bool has_new_pose = pose_.update(locals, lanes_);
  if (rods_) {
    if (has_new_pose) rods_->pose(locals);
    rods_->startStep(step_s, ratio);
    applyWind(time_s);
  }
  contacts_.startStep(worlds_);
  if (skin_) skin_->startStep(worlds_, step_s);
  findCarries(time_s, step_s, jumps);
  if (rods_ && is_first_) rods_->setVelocities(lanes_);
  movePose(step_s);
  std::swap(lanes_.last_swing, lanes_.swing);
  const AimMode mode = is_first_ ? AimMode::kFirst : AimMode::kFree;
  if (rods_) {
    moveRods(locals);
  } else if (!cross_.empty()) {
    moveTogether(locals, mode);
  } else {
    moveLevels(locals, mode);
  }
  if (settings_.teleport == TeleportPolicy::kReset) resetAfterJumps(time_s, step_s, jumps);
  if (!rods_) applyWind(time_s);
  is_first_ = false;
  counts_.joint_steps += rig_.bones.size();
}

void SpringSolver::readSwings(std::span<Quat> swings) const {
  for (std::size_t joint = 0; joint < rig_.joints.size(); ++joint) {
    swings[joint] = lanes_.swing.at(layout_.lane_of[rig_.joints[joint].bones_start]);
  }
}

void SpringSolver::readStretches(std::span<double> stretches) const {
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    const std::size_t i = layout_.lane_of[b];
    const Vec3 carried = lanes_.linear.at(i) * lanes_.carried.at(i), bone = lanes_.bone.at(i);
    const double square = glm::dot(carried, carried);
    stretches[b] = square > 0.0 ? std::sqrt(glm::dot(bone, bone) / square) : 1.0;
  }
}

void SpringSolver::readEnds(std::span<Vec3> ends) const {
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    const std::size_t i = layout_.lane_of[b];
    ends[b] = lanes_.head.at(i) + lanes_.bone.at(i);
  }
}

}  // namespace clipmill::stages::dynamic_bones
