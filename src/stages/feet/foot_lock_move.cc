// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/feet/foot_lock_move.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "anim/two_bone_ik.h"

namespace clipmill::feet {
namespace {

// Under a sheared parent a turn misses its aim; it is repeated until it is this near, as a share of
// the limb, or so often.
constexpr double kReached = 1e-9;
constexpr int kMostTurns = 6;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

const Affine& at(std::span<const Affine> worlds, int node) {
  return worlds[static_cast<std::size_t>(node)];
}

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

class FrameMover {
 public:
  FrameMover(const Scene& scene, Motion& motion) : scene_(scene), motion_(motion) {}

  void begin(std::size_t frame) {
    frame_ = frame;
    pose();
  }

  void sinkHips(int hips, double drop_m) {
    const Vec3 shift = glm::inverse(parentOf(hips).linear) * Vec3(0.0, -drop_m, 0.0);
    if (!isFinite(shift)) return;
    localOf(hips).translation += shift;
    pose();
  }

  // All ends to their targets. The worlds of one limb do not depend on the turns of another.
  void reach(std::span<LimbTask* const> tasks) {
    std::vector<Vec3> aims(tasks.size());
    for (int turn = 0; turn < kMostTurns; ++turn) {
      for (std::size_t t = 0; t < tasks.size(); ++t) turnLimb(*tasks[t], turn == 0, aims[t]);
      pose();
      bool reached = true;
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        LimbTask& task = *tasks[t];
        const Vec3 end = worldOf(task.limb.end).translation;
        task.short_m[frame_] = lengthOf(targetOf(task) - end);
        reached = reached && !(lengthOf(aims[t] - end) > kReached * task.length_m[frame_]);
      }
      if (reached) return;
    }
  }

 private:
  void pose() {
    computeWorlds(scene_.skeleton, motion_.localsOf(frame_), scene_.metric_from_file, worlds_);
  }

  const Affine& worldOf(int node) const { return worlds_[static_cast<std::size_t>(node)]; }

  const Affine& parentOf(int node) const {
    const int parent = scene_.skeleton.nodes[static_cast<std::size_t>(node)].parent;
    return parent < 0 ? scene_.metric_from_file : worldOf(parent);
  }

  Transform& localOf(int node) {
    return motion_.frame(frame_).locals[static_cast<std::size_t>(node)];
  }

  Vec3 targetOf(const LimbTask& task) const {
    return task.ends.carried[frame_].translation + task.plan.offset_m[frame_];
  }

  // `aim` is where the end gets: set at first, and then aimed at again.
  void turnLimb(const LimbTask& task, bool is_first, Vec3& aim) {
    const Limb& limb = task.limb;
    const Affine& upper = worldOf(limb.upper);
    const TwoBoneReach reach = reachWithTwoBones(
        {upper.translation, worldOf(limb.lower).translation, worldOf(limb.end).translation,
         upper.linear * task.forward},
        is_first ? targetOf(task) : aim, is_first ? kSoftShare * task.length_m[frame_] : 0.0);
    if (is_first) aim = reach.end;
    const Quat end_rotation = rotationAbout(Vec3(0, 1, 0), task.plan.yaw_rad[frame_]) *
                              rotationOf(task.ends.carried[frame_]);
    const Quat end_turn =
        end_rotation * glm::conjugate(reach.lower_turn * rotationOf(worldOf(limb.end)));
    turnNode(limb.upper, kIdentityRotation, reach.upper_turn);
    turnNode(limb.lower, reach.upper_turn, reach.lower_turn * glm::conjugate(reach.upper_turn));
    turnNode(limb.end, reach.lower_turn, end_turn);
  }

  // `carried_by` is the turn that the nodes above have made since worlds_ was computed.
  void turnNode(int node, const Quat& carried_by, const Quat& world_turn) {
    Quat& rotation = localOf(node).rotation;
    rotation = turnedInWorld(parentOf(node), carried_by, world_turn, rotation);
  }

  const Scene& scene_;
  Motion& motion_;
  std::size_t frame_ = 0;
  std::vector<Affine> worlds_;
};

bool movesAt(const LimbTask& task, double drop_m, std::size_t frame) {
  return task.plan.movesAt(frame) || (drop_m > 0.0 && task.limb.is_leg);
}

}  // namespace

void noteFrame(std::span<const Affine> source, std::span<const Affine> carried, LimbTask& task) {
  const Limb& limb = task.limb;
  const Vec3 hip = at(carried, limb.upper).translation;
  const Vec3 middle = at(carried, limb.lower).translation;
  const Vec3 end = at(carried, limb.end).translation;
  const double length = lengthOf(middle - hip) + lengthOf(end - middle);
  task.ends.source.push_back(at(source, limb.end));
  task.ends.carried.push_back(at(carried, limb.end));
  task.hip_m.push_back(hip);
  task.length_m.push_back(length);
  task.reach_m.push_back(std::max(lengthOf(end - hip), (1.0 - kSoftShare) * length));
  task.forward += bendOf(source, limb);
}

bool moveLimbs(const Scene& scene, int hips, std::span<const double> drop_m,
               std::vector<LimbTask>& tasks, Motion& motion) {
  FrameMover mover(scene, motion);
  bool any_moved = false;
  for (LimbTask& task : tasks) task.short_m.assign(drop_m.size(), 0.0);
  for (std::size_t i = 0; i < drop_m.size(); ++i) {
    std::vector<LimbTask*> moving;
    for (LimbTask& task : tasks) {
      if (movesAt(task, drop_m[i], i)) moving.push_back(&task);
    }
    if (moving.empty()) continue;
    mover.begin(i);
    if (drop_m[i] > 0.0) {
      mover.sinkHips(hips, drop_m[i]);
      motion.touched.set(hips, TrackPath::kTranslation);
    }
    mover.reach(moving);
    for (const LimbTask* task : moving) {
      for (const int node : {task->limb.upper, task->limb.lower, task->limb.end}) {
        motion.touched.set(node, TrackPath::kRotation);
      }
    }
    any_moved = true;
  }
  return any_moved;
}

}  // namespace clipmill::feet
