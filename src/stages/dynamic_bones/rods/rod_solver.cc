// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_solver.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "stages/dynamic_bones/rods/rod_build.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Differences below this are rounding.
constexpr double kSameEnd_m = 1e-11;

// Steps shorter than this share of a full one end a clip off the grid. Differences over them are
// mostly rounding and kinks of linear keys, so that they change positions alone.
constexpr double kShortStep = 0.5;

RodPoint movedWithoutRates(const RodPoint& from, const RodPoint& to) {
  RodPoint point = from;
  point.position_m = to.position_m;
  return point;
}

void carryPoint(const Carry& map, RodPoint& point) {
  point.position_m = map.point(point.position_m);
  point.velocity_mps = map.vector(point.velocity_mps);
  point.algorithmic_mps2 = map.vector(point.algorithmic_mps2);
  point.acceleration_mps2 = map.vector(point.acceleration_mps2);
}

}  // namespace

RodSolver::RodSolver(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                     const SpringLayout& layout)
    : rig_(rig),
      settings_(settings),
      scene_(scene),
      layout_(layout),
      system_(makeRods(rig, settings, scene)),
      tree_of_joint_(rig.joints.size(), -1),
      bases_(system_.trees.size()),
      shifts_(rig.bones.size(), Vec3(0.0)) {
  for (std::size_t t = 0; t < system_.trees.size(); ++t) {
    tree_of_joint_[system_.trees[t].joints.front()] = static_cast<int>(t);
  }
}

void RodSolver::pose(std::span<const Transform> locals) {
  takePose(rig_, settings_, scene_, locals, system_);
}

RodSolver::Base RodSolver::baseOf(const RodTree& tree, std::span<const Affine> worlds,
                                  const SpringLanes& lanes) const {
  const std::size_t joint = tree.joints.front();
  const int parent = rig_.slots[toSize(rig_.joints[joint].slot)].parent;
  const Affine& above = worlds[parent < 0 ? rig_.slots.size() : toSize(parent)];
  const std::size_t i = layout_.lane_of[rig_.joints[joint].bones_start];
  return {transformPoint(above, lanes.joint_translation.at(i)), rotationOf(above)};
}

void RodSolver::start(const SpringLanes& lanes, std::span<const Affine> worlds) {
  for (std::size_t b = 0; b < system_.bones.size(); ++b) {
    const std::size_t i = layout_.lane_of[b];
    RodBone& bone = system_.bones[b];
    if (lanes.length_m[i] > 0.0 && std::isfinite(lanes.length_m[i])) {
      bone.length_m = lanes.length_m[i];
    }
    bone.end = RodPoint();
    bone.end.position_m = bone.next.position_m = lanes.head.at(i) + lanes.bone.at(i);
  }
  for (std::size_t t = 0; t < system_.trees.size(); ++t) {
    RodTree& tree = system_.trees[t];
    bases_[t] = baseOf(tree, worlds, lanes);
    orientRods(system_, tree, bases_[t].head_m, bases_[t].world_from_parent);
    tree.head = RodPoint();
    tree.head.position_m = bases_[t].head_m;
    tree.is_new = true;
    for (std::size_t j : tree.joints) {
      system_.joints[j].strain = system_.joints[j].strain_before = system_.joints[j].next_strain;
    }
  }
}

void RodSolver::setVelocity(std::size_t bone, const Vec3& velocity_mps) {
  RodPoint& end = system_.bones[bone].end;
  end.velocity_mps = velocity_mps;
  end.algorithmic_mps2 = end.acceleration_mps2 = Vec3(0.0);
}

void RodSolver::addVelocity(std::size_t bone, const Vec3& velocity_mps) {
  system_.bones[bone].end.velocity_mps += velocity_mps;
  const RodJoint& joint = system_.joints[toSize(system_.bones[bone].joint)];
  system_.trees[joint.tree].is_new = true;
}

void RodSolver::setVelocities(const SpringLanes& lanes) {
  for (std::size_t b = 0; b < system_.bones.size(); ++b) {
    setVelocity(b, lanes.pose_velocity.at(layout_.lane_of[b]));
  }
}

void RodSolver::startStep(double step_s, double ratio) {
  if (step_s != time_.step_s) time_ = makeRodTime(step_s);
  if (ratio == ratio_) return;
  // Strain rates count by steps.
  const double scale = ratio / ratio_;
  for (RodJoint& joint : system_.joints) {
    joint.strain_before = joint.strain - (joint.strain - joint.strain_before) * scale;
  }
  ratio_ = ratio;
}

void RodSolver::carry(int chain, const Carry& map) {
  for (RodTree& tree : system_.trees) {
    if (tree.chain != chain) continue;
    carryPoint(map, tree.head);
    for (std::size_t j : tree.joints) {
      const RodJoint& joint = system_.joints[j];
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        carryPoint(map, system_.bones[b].end);
        system_.bones[b].direction = map.vector(system_.bones[b].direction);
      }
    }
  }
}

std::size_t RodSolver::move(const SpringLevel& level, std::span<const Affine> worlds,
                            SpringLanes& lanes) {
  std::size_t unsolved = 0;
  for (int j : level.joints) {
    const int t = tree_of_joint_[toSize(j)];
    if (t < 0) continue;
    RodTree& tree = system_.trees[toSize(t)];
    Base& base = bases_[toSize(t)];
    base = baseOf(tree, worlds, lanes);
    if (!solveRodStep(system_, tree, time_, base.head_m, base.world_from_parent)) ++unsolved;
    for (std::size_t joint : tree.joints) {
      const Joint& owner = rig_.joints[joint];
      for (std::size_t b = owner.bones_start; b < owner.bones_end; ++b) {
        lanes.point.set(layout_.lane_of[b], system_.bones[b].next.position_m);
      }
    }
  }
  return unsolved;
}

Quat RodSolver::forkSwing(std::size_t joint) const {
  const RodJoint& rod = system_.joints[joint];
  Quat swing =
      glm::conjugate(rod.world_from_parent) * rod.world_from_joint * glm::conjugate(rod.rolled);
  if (system_.trees[rod.tree].is_mirrored) swing = Quat(swing.w, swing.x, -swing.y, -swing.z);
  return normalizedOrIdentity(swing.w < 0.0 ? -swing : swing);
}

void RodSolver::keepShifts(const SpringLevel& level, const SpringLanes& lanes) {
  for (int b : level.bones) {
    shifts_[toSize(b)] = lanes.contact_shift.at(layout_.lane_of[toSize(b)]);
  }
}

void RodSolver::takeEnds(RodTree& tree, const Base& base, const SpringLanes& lanes) {
  const bool is_short = ratio_ < kShortStep;
  bool has_moved = false;
  for (std::size_t j : tree.joints) {
    RodJoint& joint = system_.joints[j];
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      RodBone& bone = system_.bones[b];
      const std::size_t i = layout_.lane_of[b];
      const Vec3 end = lanes.head.at(i) + lanes.bone.at(i);
      const Vec3 move = end - bone.next.position_m;
      if (glm::dot(move, move) > kSameEnd_m * kSameEnd_m) {
        bone.next.position_m = end;
        bone.next.velocity_mps += (move - shifts_[b]) / time_.step_s;
        has_moved = true;
      }
      shifts_[b] = Vec3(0.0);
      bone.end = is_short ? movedWithoutRates(bone.end, bone.next) : bone.next;
    }
  }
  if (has_moved) orientRods(system_, tree, base.head_m, base.world_from_parent);
  for (std::size_t j : tree.joints) {
    RodJoint& joint = system_.joints[j];
    joint.strain_before = joint.strain;
    joint.strain = joint.next_strain;
  }
  tree.head = is_short ? movedWithoutRates(tree.head, tree.next_head) : tree.next_head;
}

void RodSolver::finishStep(const SpringLanes& lanes) {
  for (std::size_t t = 0; t < bases_.size(); ++t) takeEnds(system_.trees[t], bases_[t], lanes);
}

void RodSolver::reset(std::size_t bone, const SpringLanes& lanes) {
  const std::size_t i = layout_.lane_of[bone];
  RodBone& rod = system_.bones[bone];
  rod.end = RodPoint();
  rod.end.position_m = lanes.target.at(i);
  rod.end.velocity_mps = lanes.pose_velocity.at(i);
  rod.direction = lanes.target.at(i) - lanes.head.at(i);
  RodJoint& joint = system_.joints[toSize(rod.joint)];
  joint.strain = joint.strain_before = Vec3(0.0);
}

std::size_t RodSolver::stiffenedCount() const {
  return static_cast<std::size_t>(
      std::count_if(system_.trees.begin(), system_.trees.end(),
                    [](const RodTree& tree) { return tree.is_stiffened; }));
}

}  // namespace clipmill::stages::dynamic_bones
