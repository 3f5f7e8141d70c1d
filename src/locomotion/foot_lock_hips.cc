// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_hips.h"

#include <algorithm>
#include <utility>

#include "core/cancel.h"
#include "core/to_size.h"
#include "locomotion/foot_lock_knees.h"
#include "locomotion/foot_lock_pace.h"
#include "locomotion/foot_lock_pelvis.h"
#include "scene/partial_pose.h"

namespace clipmill::locomotion {
namespace {

// Shares of its length to which a leg is bent whose knee would snap if its foot were held.
constexpr double kBentShares[] = {0.98, 0.97, 0.96, 0.95, 0.94};

// Less than this more of its offset is not worth a larger drop.
constexpr double kLeastMoreHeld = 0.01;

std::vector<double> dropFor(const Skeleton& skeleton, int hips, const TimeGrid& grid,
                            const HipsDropLimits& limits, std::span<const LimbTask> tasks) {
  std::vector<double> needed(grid.frame_count, 0.0);
  std::vector<bool> is_airborne(grid.frame_count, true);
  for (const LimbTask& task : tasks) {
    if (!task.limb.is_leg) continue;
    const bool hangs_on_hips = hips >= 0 && isAtOrBelow(skeleton, task.limb.upper, hips);
    for (std::size_t i = 0; i < grid.frame_count; ++i) {
      pollCancel();
      if (task.kneels() && task.knee_plan.isPlantedAt(i)) is_airborne[i] = false;
      // Where the plan lifts a foot early the body of the source does not fly.
      if (task.support.isInNarrowSpan(task.ends.source_times_s[i])) is_airborne[i] = false;
      if (!task.plan.isPlantedAt(i) && !isSlow(task.ends, limits.slow_mps, i)) continue;
      is_airborne[i] = false;
      if (!hangs_on_hips || !task.plan.movesAt(i)) continue;
      const Vec3 target = task.ends.carried[i].translation + task.plan.offset_m[i];
      const double drop = dropToReach(task.hip_m[i], target, task.reach_m[i]);
      needed[i] = std::max(needed[i], std::min(drop, limits.max_share * task.length_m[i]));
    }
  }
  return smoothDrop(needed, is_airborne, grid.fps, limits.is_cycle);
}

// A drop, and the limbs fitted to it.
struct Fitted {
  std::vector<double> drop_m;
  std::vector<LimbTask> tasks;

  // The least share of an offset that is made.
  double held() const {
    double least = 1.0;
    for (const LimbTask& task : tasks) least = std::min(least, task.held_share);
    return least;
  }
};

Fitted fitTo(const Skeleton& skeleton, int hips, const TimeGrid& grid, const HipsDropLimits& limits,
             std::vector<LimbTask> tasks) {
  Fitted fitted{dropFor(skeleton, hips, grid, limits, tasks), std::move(tasks)};
  if (limits.lift_m) keepInReach(*limits.lift_m, fitted.drop_m, fitted.tasks);
  pullFeet(fitted.drop_m, grid.fps, limits.is_cycle, fitted.tasks);
  return fitted;
}

// The limbs before they were fitted, those that are held in part with a shorter reach.
std::vector<LimbTask> bentWhereInPart(std::vector<LimbTask> tasks, std::span<const LimbTask> fitted,
                                      double share) {
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    LimbTask& task = tasks[k];
    if (!(fitted[k].held_share < 1.0)) continue;
    for (std::size_t i = 0; i < task.reach_m.size(); ++i) {
      task.reach_m[i] = std::min(task.reach_m[i], share * task.length_m[i]);
    }
  }
  return tasks;
}

}  // namespace

std::vector<double> dropHips(const Skeleton& skeleton, int hips, const TimeGrid& grid,
                             const HipsDropLimits& limits, std::vector<LimbTask>& tasks) {
  const std::vector<LimbTask> planned = tasks;
  const Fitted plain = fitTo(skeleton, hips, grid, limits, planned);
  Fitted best = plain;
  for (const double share : kBentShares) {
    if (!(best.held() < 1.0)) break;
    Fitted bent = fitTo(skeleton, hips, grid, limits, bentWhereInPart(planned, plain.tasks, share));
    if (bent.held() > best.held() + kLeastMoreHeld) best = std::move(bent);
  }
  tasks = std::move(best.tasks);
  return best.drop_m;
}

}  // namespace clipmill::locomotion
