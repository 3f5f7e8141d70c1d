// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "anim/pose.h"
#include "core/text.h"
#include "core/units.h"
#include "locomotion/foot_lock_measures.h"
#include "locomotion/foot_lock_move.h"
#include "locomotion/foot_lock_pelvis.h"
#include "locomotion/foot_lock_plan.h"

namespace clipmill::locomotion {
namespace {

// A hand that is stationary for this long is locked.
constexpr double kShortestHold_s = 0.25;

Support footSupport(const FeetTrace& feet, BodySide side, double gap_s) {
  Support support{feet.start_s, feet.step_s, {}, {}};
  for (const FootTrace& foot : feet.feet) {
    if (foot.marks.side != side) continue;
    support.pivots = {{foot.heel_m, foot.heel_on}, {foot.ball_m, foot.ball_on}};
    support.spans = unionOf(foot.heel_on, foot.ball_on, gap_s);
  }
  return support;
}

Support handSupport(const Scene& scene, const Motion& source, int hand, double speed_mps) {
  const NodePoint point{hand, Vec3(0.0)};
  PointPaths paths = samplePoints(scene, source, {&point, 1});
  const ContactSettings still{std::numeric_limits<double>::infinity(), speed_mps, kShortestHold_s};
  Support support{paths.start_s, paths.step_s, {}, {}};
  support.spans = findContacts(paths.start_s, paths.step_s, paths.positions_m[0], 0.0, still);
  support.pivots = {{std::move(paths.positions_m[0]), support.spans}};
  return support;
}

std::vector<LimbTask> makeTasks(const Scene& scene, const humanoid::HumanoidMap& map,
                                const Motion& source, const FeetTrace& feet,
                                const ContactSettings& contact, bool hands) {
  std::vector<LimbTask> tasks;
  for (Limb& limb : limbsOf(scene.skeleton, map, hands)) {
    LimbTask task;
    task.support = limb.is_leg ? footSupport(feet, limb.side, 0.5 * contact.shortest_s)
                               : handSupport(scene, source, limb.end, contact.speed_mps);
    task.limb = std::move(limb);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

bool sameGrid(const TimeGrid& a, const TimeGrid& b) {
  return a.frame_count == b.frame_count && a.start_s == b.start_s && a.end_s == b.end_s &&
         a.fps == b.fps;
}

// Records the limbs in both motions.
void followLimbs(const Scene& scene, const Motion& source, const Motion& stretched,
                 std::span<const double> source_times_s, std::vector<LimbTask>& tasks) {
  MotionCursor cursor(scene.skeleton, source);
  const bool shares_frames = source_times_s.empty() && sameGrid(source.grid, stretched.grid);
  std::vector<Affine> source_worlds, carried;
  for (std::size_t i = 0; i < stretched.grid.frame_count; ++i) {
    const double time_s = stretched.grid.timeOf(i);
    const double source_time_s = source_times_s.empty() ? time_s : source_times_s[i];
    const std::span<const Transform> locals =
        shares_frames ? source.localsOf(i)
                      : std::span<const Transform>(cursor.at(source_time_s).locals);
    computeWorlds(scene.skeleton, locals, scene.metric_from_file, source_worlds);
    computeWorlds(scene.skeleton, stretched.localsOf(i), scene.metric_from_file, carried);
    for (LimbTask& task : tasks) {
      task.ends.times_s.push_back(time_s);
      task.ends.source_times_s.push_back(source_time_s);
      noteFrame(source_worlds, carried, task);
    }
  }
}

// Drop of the hips at every frame, in metres.
std::vector<double> dropOfHips(const Skeleton& skeleton, int hips, const TimeGrid& grid,
                               std::span<const LimbTask> tasks, double max_share, bool is_cycle) {
  std::vector<double> needed(grid.frame_count, 0.0);
  std::vector<bool> is_airborne(grid.frame_count, true);
  for (const LimbTask& task : tasks) {
    if (!task.limb.is_leg) continue;
    const bool hangs_on_hips = hips >= 0 && isAtOrBelow(skeleton, task.limb.upper, hips);
    for (std::size_t i = 0; i < grid.frame_count; ++i) {
      if (!task.plan.isPlantedAt(i)) continue;
      is_airborne[i] = false;
      if (!hangs_on_hips || !task.plan.movesAt(i)) continue;
      const Vec3 target = task.ends.carried[i].translation + task.plan.offset_m[i];
      const double drop = dropToReach(task.hip_m[i], target, task.reach_m[i]);
      needed[i] = std::max(needed[i], std::min(drop, max_share * task.length_m[i]));
    }
  }
  return smoothDrop(needed, is_airborne, grid.fps, is_cycle);
}

Plant plantOf(const LimbTask& task, const PlantedSpan& span) {
  Plant plant{task.limb.name, task.ends.times_s[span.first], task.ends.times_s[span.last]};
  for (std::size_t i = span.first; i <= span.last; ++i) {
    plant.short_m = std::max(plant.short_m, task.short_m[i]);
    if (!(task.short_m[i] > kPlanted_m) || i == 0) continue;
    plant.out_of_reach_s += task.ends.times_s[i] - task.ends.times_s[i - 1];
  }
  return plant;
}

void reportPlants(const std::string& clip_name, std::span<const LimbTask> tasks,
                  FootLockReport& report) {
  for (const LimbTask& task : tasks) {
    for (const PlantedSpan& span : task.plan.planted_spans) {
      Plant plant = plantOf(task, span);
      if (plant.out_of_reach_s > 0.0) {
        report.warnings.add("foot_out_of_reach",
                            "a planted foot or hand is farther away than its limb reaches",
                            clip_name + ": " + plant.limb + ", " + fixedText(plant.start_s, 2) +
                                " to " + fixedText(plant.end_s, 2) + " s");
      }
      report.plants.push_back(std::move(plant));
    }
  }
}

}  // namespace

FootLockReport lockFeet(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& source,
                        Motion& stretched, const FootLockSettings& settings,
                        const FootLockSource& view) {
  FootLockReport report;
  if (settings.feet == FeetPolicy::kOff) return report;
  const ContactSettings contact{settings.contact_height_m, settings.contact_speed_mps};
  const FeetTrace feet = traceFeet(scene, map, source, contact);
  std::vector<LimbTask> tasks = makeTasks(scene, map, source, feet, contact, settings.hands);
  report.found_limbs = !tasks.empty();
  if (tasks.empty() || stretched.grid.frame_count < 2) return report;

  followLimbs(scene, source, stretched, view.times_s, tasks);
  const int hips = map[humanoid::HumanoidRole::kHips];
  const bool is_cycle = view.cycle || (isCycle(scene.skeleton, hips, source) &&
                                       isCycle(scene.skeleton, hips, stretched));
  const PlanSettings plan{settings.release_s, is_cycle, view.cycle, view.holds_slides};
  for (LimbTask& task : tasks) {
    task.plan = planLimb(task.support, task.ends, plan);
  }
  const std::vector<double> drop_m =
      dropOfHips(scene.skeleton, hips, stretched.grid, tasks, settings.max_pelvis_drop, is_cycle);
  report.pelvis_drop_m = *std::max_element(drop_m.begin(), drop_m.end());
  report.changed = moveLimbs(scene, hips, drop_m, tasks, stretched);
  reportPlants(stretched.clip_name, tasks, report);
  report.metrics = slideMetrics(scene, feet, stretched, tasks);
  report.metrics.push_back({"pelvis_drop_mm", 0.0, report.pelvis_drop_m * kMillimetresInMetre});
  return report;
}

Status checkFound(const FootLockReport& report, const FootLockSettings& settings) {
  if (settings.feet != FeetPolicy::kLock || report.found_limbs) return {};
  return Error{ErrorCode::kRecipe, "feet", "no character with legs was found",
               "set feet to auto or off"};
}

}  // namespace clipmill::locomotion
