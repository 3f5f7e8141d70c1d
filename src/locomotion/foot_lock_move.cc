// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_move.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "anim/two_bone_ik.h"
#include "core/math.h"
#include "core/to_size.h"

namespace clipmill::locomotion {
namespace {

// Under a sheared parent a rotation misses its target; it is repeated until the error is below this
// share of the limb, at most so many times.
constexpr double kReached = 1e-9;
constexpr int kMaxRotations = 6;

const Affine& at(std::span<const Affine> worlds, int node) { return worlds[toSize(node)]; }

// How far the middle joint is off the line between the others, in the upper node's own space.
Vec3 bendOf(std::span<const Affine> worlds, const Limb& limb) {
  const Affine& upper = at(worlds, limb.upper);
  const Vec3 to_middle = at(worlds, limb.lower).translation - upper.translation;
  const Vec3 to_end = at(worlds, limb.end).translation - upper.translation;
  const double square = glm::dot(to_end, to_end);
  if (!(square > 0.0)) return Vec3(0.0);
  const Vec3 bend = to_middle - to_end * (glm::dot(to_middle, to_end) / square);
  const Vec3 local = glm::inverse(upper.linear) * bend;
  return isFinite(local) ? local : Vec3(0.0);
}

// The point at a distance from the hip that is vertically over or below the target, where there is
// one: a knee that is a little too high or low slides less than one that is aimed at the target.
Vec3 levelReach(const Vec3& hip, const Vec3& target, double length_m) {
  const double aside2 =
      (target.x - hip.x) * (target.x - hip.x) + (target.z - hip.z) * (target.z - hip.z);
  const double rise2 = length_m * length_m - aside2;
  if (!(rise2 > 0.0)) return target;
  const double rise = std::sqrt(rise2);
  return {target.x, hip.y + (target.y < hip.y ? -rise : rise), target.z};
}

class FrameMover {
 public:
  FrameMover(const Scene& scene, Motion& motion) : scene_(scene), motion_(motion) {}

  void seek(std::size_t frame, std::span<LimbTask* const> tasks) {
    frame_ = frame;
    ends_apart_.clear();
    pose();
    for (const LimbTask* task : tasks) {
      const Limb& limb = task->limb;
      if (!limb.is_end_apart) continue;
      ends_apart_.push_back(
          {limb.lower, limb.end,
           transformPoint(inverse(worldOf(limb.lower)), worldOf(limb.end).translation)});
    }
  }

  void sinkHips(int hips, double drop_m) {
    const Vec3 shift = glm::inverse(parentOf(hips).linear) * Vec3(0.0, -drop_m, 0.0);
    if (!isFinite(shift)) return;
    localOf(hips).translation += shift;
    pose();
  }

  // All ends to their targets. World transforms of one limb do not depend on the rotations of
  // another.
  void reach(std::span<LimbTask* const> tasks) {
    std::vector<Vec3> aims(tasks.size());
    for (int rotation = 0; rotation < kMaxRotations; ++rotation) {
      for (std::size_t t = 0; t < tasks.size(); ++t) rotateLimb(*tasks[t], rotation == 0, aims[t]);
      pose();
      bool reached = true;
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        LimbTask& task = *tasks[t];
        const Vec3 end = worldOf(task.limb.end).translation;
        task.short_m[frame_] = lengthOf(task.plannedAt(frame_) - end);
        reached = reached && !(lengthOf(aims[t] - end) > kReached * task.length_m[frame_]);
      }
      if (reached) break;
    }
    for (LimbTask* task : tasks) {
      if (task->kneeShareAt(frame_) > 0.0) kneel(*task);
    }
  }

 private:
  // An end that hangs elsewhere, and where it is in the axes of the lower joint.
  struct EndApart {
    int lower, end;
    Vec3 position;
  };

  void pose() {
    computeWorlds(scene_.skeleton, motion_.localsOf(frame_), scene_.metric_from_file, worlds_);
    if (ends_apart_.empty()) return;
    for (const EndApart& apart : ends_apart_) {
      const Vec3 position = transformPoint(worldOf(apart.lower), apart.position);
      const Vec3 local = transformPoint(inverse(parentOf(apart.end)), position);
      if (isFinite(local)) localOf(apart.end).translation = local;
    }
    computeWorlds(scene_.skeleton, motion_.localsOf(frame_), scene_.metric_from_file, worlds_);
  }

  const Affine& worldOf(int node) const { return worlds_[toSize(node)]; }

  const Affine& parentOf(int node) const {
    const int parent = scene_.skeleton.nodes[toSize(node)].parent;
    return parent < 0 ? scene_.metric_from_file : worldOf(parent);
  }

  Transform& localOf(int node) { return motion_.frame(frame_).locals[toSize(node)]; }

  // The knee over or below its target; the shin points to where the foot is.
  void kneel(LimbTask& task) {
    const Limb& limb = task.limb;
    const auto position = [&](int node) { return worldOf(node).translation; };
    const Vec3 hip = position(limb.upper), knee = position(limb.lower), end = position(limb.end);
    const Quat end_rotation = rotationOf(worldOf(limb.end));
    const Vec3 target =
        task.knee_ends.carried[frame_].translation + task.knee_plan.offset_m[frame_];
    const Vec3 reached = levelReach(hip, target, lengthOf(knee - hip));
    const Vec3 wanted = knee + task.kneeShareAt(frame_) * (reached - knee);
    rotateNode(limb.upper, kIdentityRotation, rotationBetween(knee - hip, wanted - hip));
    pose();
    const Vec3 shin = position(limb.end) - position(limb.lower);
    rotateNode(limb.lower, kIdentityRotation, rotationBetween(shin, end - position(limb.lower)));
    pose();
    rotateNode(limb.end, kIdentityRotation,
               end_rotation * glm::conjugate(rotationOf(worldOf(limb.end))));
    pose();
    task.short_m[frame_] = lengthOf(task.plannedAt(frame_) - position(limb.end));
    task.knee_short_m[frame_] = lengthOf(target - position(limb.lower));
  }

  // `aim` is the reachable target: set by the first pass, used by the next ones.
  void rotateLimb(const LimbTask& task, bool is_first, Vec3& aim) {
    const Limb& limb = task.limb;
    const Affine& upper = worldOf(limb.upper);
    const TwoBoneReach reach =
        reachWithTwoBones({upper.translation, worldOf(limb.lower).translation,
                           worldOf(limb.end).translation, upper.linear * task.forward},
                          is_first ? task.targetAt(frame_, upper.translation) : aim,
                          is_first ? kSoftShare * task.length_m[frame_] : 0.0);
    if (is_first) aim = reach.end;
    const Quat wanted_rotation = rotationAbout(Vec3(0, 1, 0), task.plan.yaw_rad[frame_]) *
                                 rotationOf(task.ends.carried[frame_]);
    const Quat carried_by = limb.is_end_apart ? kIdentityRotation : reach.lower_rotation;
    const Quat end_rotation =
        wanted_rotation * glm::conjugate(carried_by * rotationOf(worldOf(limb.end)));
    rotateNode(limb.upper, kIdentityRotation, reach.upper_rotation);
    rotateNode(limb.lower, reach.upper_rotation,
               reach.lower_rotation * glm::conjugate(reach.upper_rotation));
    rotateNode(limb.end, carried_by, end_rotation);
  }

  // `carried_by` is the rotation of the nodes above since worlds_ was computed.
  void rotateNode(int node, const Quat& carried_by, const Quat& world_rotation) {
    Quat& rotation = localOf(node).rotation;
    rotation = rotatedInWorld(parentOf(node), carried_by, world_rotation, rotation);
  }

  const Scene& scene_;
  Motion& motion_;
  std::size_t frame_ = 0;
  std::vector<Affine> worlds_;
  std::vector<EndApart> ends_apart_;  // in the frame, before anything moved
};

}  // namespace

bool LimbTask::movesAt(double drop_m, std::size_t frame) const {
  return plan.movesAt(frame) || (limb.is_leg && drop_m > 0.0) || pullAt(frame) > 0.0 ||
         (kneeShareAt(frame) > 0.0 && knee_plan.movesAt(frame));
}

Vec3 LimbTask::targetAt(std::size_t frame, const Vec3& hip) const {
  const Vec3 target = plannedAt(frame);
  const double distance_m = lengthOf(target - hip);
  if (!(pullAt(frame) > 0.0) || !(distance_m > pullAt(frame))) return target;
  return target - (target - hip) * (pullAt(frame) / distance_m);
}

void noteFrame(std::span<const Affine> source, std::span<const Affine> carried, LimbTask& task) {
  const Limb& limb = task.limb;
  const Vec3 hip = at(carried, limb.upper).translation;
  const Vec3 middle = at(carried, limb.lower).translation;
  const Vec3 end = at(carried, limb.end).translation;
  const double length = lengthOf(middle - hip) + lengthOf(end - middle);
  task.ends.source.push_back(at(source, limb.end));
  task.ends.carried.push_back(at(carried, limb.end));
  task.hip_m.push_back(hip);
  task.middle_m.push_back(middle);
  task.source_hip_m.push_back(at(source, limb.upper).translation);
  task.source_middle_m.push_back(at(source, limb.lower).translation);
  task.upper_linear.push_back(at(carried, limb.upper).linear);
  task.length_m.push_back(length);
  task.reach_m.push_back(std::max(lengthOf(end - hip), (1.0 - kSoftShare) * length));
  task.forward += bendOf(source, limb);
  if (!task.kneels()) return;
  task.knee_ends.source.push_back(at(source, limb.lower));
  task.knee_ends.carried.push_back(at(carried, limb.lower));
}

bool moveLimbs(const Scene& scene, int hips, std::span<const double> drop_m,
               std::vector<LimbTask>& tasks, Motion& motion) {
  FrameMover mover(scene, motion);
  bool any_moved = false;
  for (LimbTask& task : tasks) {
    task.short_m.assign(drop_m.size(), 0.0);
    task.knee_short_m.assign(drop_m.size(), 0.0);
  }
  for (std::size_t i = 0; i < drop_m.size(); ++i) {
    std::vector<LimbTask*> moving;
    for (LimbTask& task : tasks) {
      if (task.movesAt(drop_m[i], i)) moving.push_back(&task);
    }
    if (moving.empty()) continue;
    mover.seek(i, moving);
    if (drop_m[i] > 0.0) {
      mover.sinkHips(hips, drop_m[i]);
      motion.modified.set(hips, TrackPath::kTranslation);
    }
    mover.reach(moving);
    for (const LimbTask* task : moving) {
      for (const int node : {task->limb.upper, task->limb.lower, task->limb.end}) {
        motion.modified.set(node, TrackPath::kRotation);
      }
      if (task->limb.is_end_apart) motion.modified.set(task->limb.end, TrackPath::kTranslation);
    }
    any_moved = true;
  }
  return any_moved;
}

}  // namespace clipmill::locomotion
