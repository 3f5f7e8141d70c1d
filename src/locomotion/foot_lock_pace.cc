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

// How near heel or ball are to their ground into every frame, from 1 to 0.
std::vector<double> lowShares(const FeetTrace& clip, const FootTrace& foot,
                              const std::vector<double>& times_s) {
  std::vector<double> low;
  double last = 0.0;
  for (const double time_s : times_s) {
    const std::size_t i = sampleAt(clip, time_s);
    const double height_m = std::min(foot.heel_on_ground_m[i].y - foot.heel_level_m,
                                     foot.ball_on_ground_m[i].y - foot.ball_level_m);
    const double share = 1.0 - smoothStep(0.5 * kLow, kLow, height_m / clip.leg_m);
    low.push_back(std::min(share, low.empty() ? share : last));
    last = share;
  }
  return low;
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
      task.ends.low = lowShares(clip, foot, task.ends.source_times_s);
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
