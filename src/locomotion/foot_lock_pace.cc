// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_pace.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/smooth_step.h"
#include "core/to_size.h"
#include "locomotion/ground.h"

namespace clipmill::locomotion {
namespace {

// Heights over the ground, in lengths of a leg: a foot is on it up to half of this, and off it
// above.
constexpr double kLow = 0.03;

std::size_t sampleAt(const FeetTrace& clip, double time_s) {
  const double sample = std::round((time_s - clip.start_s) / clip.step_s);
  return toSize(std::clamp(sample, 0.0, static_cast<double>(clip.sample_count - 1)));
}

// A path with one position a sample at a time.
Vec3 between(const std::vector<Vec3>& path_m, const FeetTrace& clip, double time_s) {
  const double last = static_cast<double>(path_m.size() - 1);
  const double sample = std::clamp((time_s - clip.start_s) / clip.step_s, 0.0, last);
  const std::size_t i = std::min(toSize(sample), path_m.size() - 2);
  const double share = sample - static_cast<double>(i);
  return (1.0 - share) * path_m[i] + share * path_m[i + 1];
}

// How near heel or ball are to their ground at a sample, from 1 to 0.
double lowAt(const FeetTrace& clip, const FootTrace& foot, std::size_t sample) {
  const double height_m = std::min(foot.heel_on_ground_m[sample].y - foot.heel_level_m,
                                   foot.ball_on_ground_m[sample].y - foot.ball_level_m);
  return 1.0 - smoothStep(0.5 * kLow, kLow, height_m / clip.leg_m);
}

// How near they are into every frame, by the less or the more near of both its ends.
std::vector<double> lowShares(const FeetTrace& clip, const FootTrace& foot,
                              const std::vector<double>& times_s,
                              const double& (*either)(const double&, const double&)) {
  std::vector<double> low;
  double last = 0.0;
  for (const double time_s : times_s) {
    const double share = lowAt(clip, foot, sampleAt(clip, time_s));
    low.push_back(low.empty() ? share : either(share, last));
    last = share;
  }
  return low;
}

const FootTrace* footOf(const FeetTrace& feet, BodySide side) {
  for (const FootTrace& foot : feet.feet) {
    if (foot.marks.side == side) return &foot;
  }
  return nullptr;
}

// A point of a sole: its path in the clip, and on the other character.
struct SolePoint {
  const std::vector<Vec3>& path_m;
  const std::vector<Vec3>& own_m;
};

// A foot without toes is its ankle alone.
std::vector<SolePoint> solePoints(const FootTrace& foot, const FootTrace& own,
                                  const std::vector<Vec3>& own_ankle_m) {
  if (foot.ankle_on_ground_m.empty()) return {{foot.heel_on_ground_m, own_ankle_m}};
  return {{foot.heel_on_ground_m, own.heel_m},
          {foot.ball_on_ground_m, own.ball_m},
          {foot.ankle_on_ground_m, own_ankle_m}};
}

// The path along the ground of the ankle of `own` when its sole moves as that of the clip. Points
// of it count the more the less they move.
std::vector<Vec3> pacePath(const FeetTrace& clip, const FootTrace& foot, const Quat& rotation,
                           const FeetTrace& feet, const FootTrace& own) {
  constexpr double kRestSpeed = 0.02;  // leg lengths a second
  const std::vector<Vec3>& ankle_m = own.ankle_m.empty() ? own.heel_m : own.ankle_m;
  const std::vector<SolePoint> points = solePoints(foot, own, ankle_m);
  const double scale = feet.leg_m / clip.leg_m;
  std::vector<Vec3> path_m = {Vec3(0.0)};
  for (std::size_t i = 1; i < clip.sample_count; ++i) {
    const auto stepOf = [&](const std::vector<Vec3>& path) { return path[i] - path[i - 1]; };
    Vec3 sum_m(0.0);
    double weights = 0.0;
    for (const SolePoint& point : points) {
      const Vec3 step_m = stepOf(point.path_m);
      const double speed = lengthOf(step_m) / (clip.leg_m * clip.step_s) / kRestSpeed;
      const double weight = 1.0 / (1.0 + speed * speed);
      const Vec3 rotated_m = stepOf(point.own_m) - stepOf(ankle_m);
      sum_m += weight * (scale * (rotation * step_m) - rotated_m);
      weights += weight;
    }
    const Vec3 step_m = sum_m / weights;
    path_m.push_back(path_m.back() + Vec3(step_m.x, 0.0, step_m.z));
  }
  return path_m;
}

// How far a foot of the clip has moved relative to its ground at source times, in its leg lengths:
// the heel, the ball or the ankle, whichever moves least, since a foot that rotates about one
// rests. `length` is that of a move.
std::vector<double> movedLegs(const FeetTrace& clip, const FootTrace& foot,
                              const std::vector<double>& times_s, double (*length)(const Vec3&)) {
  std::vector<double> moved = {0.0};
  for (std::size_t i = 1; i < times_s.size(); ++i) {
    const std::size_t from = sampleAt(clip, times_s[i - 1]), to = sampleAt(clip, times_s[i]);
    double least_m = length(foot.heel_on_ground_m[to] - foot.heel_on_ground_m[from]);
    for (const auto* path_m : {&foot.ball_on_ground_m, &foot.ankle_on_ground_m}) {
      if (!path_m->empty()) least_m = std::min(least_m, length((*path_m)[to] - (*path_m)[from]));
    }
    moved.push_back(moved.back() + least_m / clip.leg_m);
  }
  return moved;
}

// The part of an offset, from 0 to 1, with which a leg reaches its target.
double partInReach(const Vec3& hip_m, const Vec3& carried_m, const Vec3& offset_m, double reach_m) {
  constexpr int kHalvings = 20;
  if (lengthOf(carried_m + offset_m - hip_m) <= reach_m) return 1.0;
  double part = 0.0;
  for (int i = 1; i <= kHalvings; ++i) {
    const double more = part + std::ldexp(1.0, -i);
    if (lengthOf(carried_m + more * offset_m - hip_m) <= reach_m) part = more;
  }
  return part;
}

}  // namespace

void keepPaceOf(const FeetTrace& clip, double leg_m, std::span<LimbTask> tasks) {
  if (clip.sample_count < 2 || !(clip.leg_m > 0.0) || !(leg_m > 0.0)) return;
  for (LimbTask& task : tasks) {
    if (!task.limb.is_leg) continue;
    for (const FootTrace& foot : clip.feet) {
      if (foot.marks.side != task.limb.side) continue;
      const std::vector<double>& times_s = task.ends.source_times_s;
      task.ends.moved_m = movedLegs(clip, foot, times_s, lengthOf);
      task.ends.along_m = movedLegs(clip, foot, times_s, horizontalLength);
      for (double& moved_m : task.ends.moved_m) moved_m *= leg_m;
      for (double& along_m : task.ends.along_m) along_m *= leg_m;
      task.ends.low = lowShares(clip, foot, task.ends.source_times_s, std::min<double>);
    }
  }
}

void findPaceOf(const FeetTrace& clip, const Quat& rotation, const FeetTrace& feet,
                std::span<LimbTask> tasks) {
  if (clip.sample_count < 2 || clip.sample_count != feet.sample_count) return;
  if (!(clip.leg_m > 0.0) || !(feet.leg_m > 0.0)) return;
  for (LimbTask& task : tasks) {
    if (!task.limb.is_leg) continue;
    const FootTrace* foot = footOf(clip, task.limb.side);
    const FootTrace* own = footOf(feet, task.limb.side);
    if (!foot || !own) continue;
    const std::vector<double>& times_s = task.ends.source_times_s;
    task.ends.pace_weights = lowShares(clip, *foot, times_s, std::max<double>);
    const std::vector<Vec3> path_m = pacePath(clip, *foot, rotation, feet, *own);
    for (const double time_s : times_s) {
      task.ends.pace_m.push_back(between(path_m, clip, time_s));
    }
  }
}

bool isSlow(const EndFrames& ends, double slow_mps, std::size_t frame) {
  if (ends.moved_m.empty() || frame == 0) return false;
  const double step_s = ends.times_s[frame] - ends.times_s[frame - 1];
  return ends.moved_m[frame] - ends.moved_m[frame - 1] < slow_mps * step_s;
}

void keepInReach(double lift_m, std::span<const double> drop_m, std::span<LimbTask> tasks) {
  for (LimbTask& task : tasks) {
    if (!task.limb.is_leg) continue;
    for (LimbPlan* plan : {&task.plan, &task.gentler_plan}) {
      for (std::size_t i = 0; i < drop_m.size(); ++i) {
        if (plan->isPlantedAt(i) || !plan->movesAt(i)) continue;
        plan->offset_m[i] *=
            partInReach(task.hip_m[i] - Vec3(0.0, drop_m[i], 0.0), task.ends.carried[i].translation,
                        plan->offset_m[i], task.reach_m[i] + lift_m);
      }
    }
  }
}

}  // namespace clipmill::locomotion
