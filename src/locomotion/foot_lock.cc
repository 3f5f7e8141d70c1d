// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/cancel.h"
#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"
#include "locomotion/foot_lock_hips.h"
#include "locomotion/foot_lock_knees.h"
#include "locomotion/foot_lock_move.h"
#include "locomotion/foot_lock_pace.h"
#include "locomotion/foot_lock_plan.h"
#include "locomotion/foot_lock_planner.h"
#include "locomotion/foot_slide.h"
#include "locomotion/ground.h"
#include "locomotion/pose_cycle.h"
#include "locomotion/root_motion.h"
#include "scene/partial_pose.h"

namespace clipmill::locomotion {
namespace {

// A planted end farther than this from its target has left it.
constexpr double kPlanted_m = 0.005;

// Feet that the clip plants on its own character stray no farther than this, in leg lengths.
constexpr double kRetargetedDrift = 0.0005;

// Hips drop for a foot that keeps the pace of one as slow as this, too.
constexpr double kSlowFoot = 0.5;

// A straight leg that does not reach its target lifts its foot by no more than this between
// contacts.
constexpr double kMaxLift = 0.01;

// A foot of the clip that is as fast as this, in leg lengths a second, steps.
constexpr double kFullPace = 1.0;

// A path in the frame of the ground, with its own heights.
std::vector<Vec3> lessTreadmill(const FeetTrace& feet, std::vector<Vec3> path_m) {
  for (std::size_t i = 0; i < path_m.size(); ++i) {
    path_m[i] -= feet.treadmill_mps * (feet.timeOf(i) - feet.start_s);
  }
  return path_m;
}

Support footSupport(const FeetTrace& feet, BodySide side, double gap_s) {
  Support support{feet.start_s, feet.step_s, {}, {}, {}};
  for (const FootTrace& foot : feet.feet) {
    if (foot.marks.side != side) continue;
    support.pivots = {{lessTreadmill(feet, foot.heel_m), foot.heel_on},
                      {lessTreadmill(feet, foot.ball_m), foot.ball_on}};
    support.spans = unionOf(foot.heel_on, foot.ball_on, gap_s);
    if (foot.ankle_on.empty()) continue;
    support.pivots.push_back({lessTreadmill(feet, foot.ankle_m), foot.ankle_on});
    support.spans = unionOf(std::move(support.spans), foot.ankle_on, gap_s);
  }
  return support;
}

// Of a hand or a knee; no spans where the limb has no trace.
Support limbSupport(const FeetTrace& feet, std::span<const LimbTrace> traces, LimbPart part,
                    BodySide side) {
  Support support{feet.start_s, feet.step_s, {}, {}, {}};
  for (const LimbTrace& trace : traces) {
    if (trace.part != part || trace.side != side) continue;
    support.spans = trace.on;
    support.pivots = {{lessTreadmill(feet, trace.positions_m), trace.on}};
  }
  return support;
}

std::vector<LimbTask> makeTasks(const Scene& scene, const humanoid::HumanoidMap& map,
                                const FeetTrace& feet, std::span<const LimbTrace> traces,
                                ContactLimbs limbs) {
  std::vector<LimbTask> tasks;
  for (Limb& limb : limbsOf(scene.skeleton, map, limbs != ContactLimbs::kFeet)) {
    LimbTask task;
    task.support = limb.is_leg ? footSupport(feet, limb.side, 0.5 * feet.contact.shortest_s)
                               : limbSupport(feet, traces, LimbPart::kHand, limb.side);
    if (limb.is_leg) task.knee_support = limbSupport(feet, traces, LimbPart::kKnee, limb.side);
    task.limb = std::move(limb);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<int> endsOf(std::span<const LimbTask> tasks) {
  std::vector<int> ends;
  for (const LimbTask& task : tasks) ends.push_back(task.limb.end);
  return ends;
}

// Removes contacts that do not overlap a time.
void keepWithin(const TimeSpan& within, std::vector<LimbTask>& tasks) {
  for (LimbTask& task : tasks) {
    for (Support* support : {&task.support, &task.knee_support}) {
      std::erase_if(support->spans, [&](const TimeSpan& span) {
        return span.end_s < within.start_s || span.start_s > within.end_s;
      });
    }
  }
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
  for (LimbTask& task : tasks) {
    task.support = widenedToFrames(std::move(task.support), task.ends);
    if (!task.kneels()) continue;
    task.knee_ends.times_s = task.ends.times_s;
    task.knee_ends.source_times_s = task.ends.source_times_s;
    task.knee_support = widenedToFrames(std::move(task.knee_support), task.knee_ends);
  }
}

// Whether a motion ends about where it starts, compared with the path of the ground under its
// source.
bool isOnTheSpot(const Scene& scene, int hips, const FeetTrace& feet, const Motion& motion) {
  constexpr double kOnTheSpotShare = 0.5;
  const double path_m = horizontalLength(feet.treadmill_mps) * feet.step_s *
                        static_cast<double>(feet.sample_count - 1);
  if (hips < 0) return true;
  const std::vector<Vec3> body_m = positionsOf(scene, motion, hips);
  return horizontalLength(body_m.back() - body_m.front()) < kOnTheSpotShare * path_m;
}

// Feet return to their paths as fast as suits the clip, and near to it.
PlanSettings planSettings(const FeetTrace& feet, std::span<const LimbTask> tasks, double fps) {
  constexpr double kKneeShare = 0.25, kOvershootLegs = 0.3;
  PlanSettings settings;
  settings.release_mps2 =
      std::max(settings.release_mps2, kKneeShare * sourceKneeAcceleration(tasks, fps));
  settings.max_overshoot_m = kOvershootLegs * feet.leg_m;
  return settings;
}

Plant plantOf(const LimbTask& task, const std::string& name, std::span<const double> short_m,
              const PlantedSpan& span) {
  Plant plant{name, task.ends.times_s[span.first], task.ends.times_s[span.last]};
  for (std::size_t i = span.first; i <= span.last; ++i) {
    plant.short_m = std::max(plant.short_m, short_m[i]);
    if (!(short_m[i] > kPlanted_m) || i == 0) continue;
    plant.out_of_reach_s += task.ends.times_s[i] - task.ends.times_s[i - 1];
  }
  return plant;
}

void reportPlants(const std::string& clip_name, std::span<const LimbTask> tasks,
                  FootLockReport& report) {
  const auto add = [&](Plant plant) {
    if (plant.out_of_reach_s > 0.0) {
      report.warnings.add("foot_out_of_reach",
                          "a planted foot, hand or knee is farther away than its limb reaches",
                          clip_name + ": " + plant.limb + ", " + fixedText(plant.start_s, 2) +
                              " to " + fixedText(plant.end_s, 2) + " s, by up to " +
                              fixedText(plant.short_m * kMillimetresInMetre, 0) + " mm");
    }
    report.plants.push_back(std::move(plant));
  };
  for (const LimbTask& task : tasks) {
    for (const PlantedSpan& span : task.plan.planted_spans) {
      add(plantOf(task, task.limb.name, task.short_m, span));
    }
    const std::string knee = task.limb.side == BodySide::kLeft ? "left knee" : "right knee";
    for (const PlantedSpan& span : task.knee_plan.planted_spans) {
      add(plantOf(task, knee, task.knee_short_m, span));
    }
  }
}

// A knee that accelerates much more than those of the source.
void reportKnees(const Skeleton& skeleton, const Motion& stretched,
                 const std::optional<KneePeaks>& knees, FootLockReport& report) {
  if (!knees || !(knees->factor() > kMaxKneeFactor)) return;
  const std::size_t frame = knees->result.frame;
  report.warnings.add(
      "knees_accelerate",
      "a knee accelerates by more than 1.5 times as much as knees of the source do, where its leg "
      "gets straight or the root is faster",
      stretched.clip_name + ": " + skeleton.nodes[toSize(knees->result.leg->limb.lower)].name +
          ", frame " + std::to_string(frame) + " (" + fixedText(stretched.grid.timeOf(frame), 2) +
          " s), " + fixedText(knees->factor(), 2) +
          " times: " + fixedText(knees->result.acceleration_mps2, 0) + " m/s^2 after and " +
          fixedText(knees->source_mps2, 0) + " before");
}

// Legs whose knees would snap if their feet were held.
void reportHeldInPart(const std::string& clip_name, std::span<const LimbTask> tasks,
                      FootLockReport& report) {
  for (const LimbTask& task : tasks) {
    if (!(task.held_share < 1.0)) continue;
    report.warnings.add("feet_held_in_part",
                        "a foot is held in part, so that its knee accelerates by no more than 1.5 "
                        "times as much as knees of the source do",
                        clip_name + ": " + task.limb.name + ", " + fixedText(task.held_share, 2) +
                            " of its offset");
  }
}

// Legs whose feet cannot be held at all.
void reportNothingHeld(const humanoid::HumanoidMap& map, const std::string& clip_name,
                       FootLockReport& report) {
  if (report.found_limbs) {
    report.warnings.add("no_contacts",
                        "no contact of a foot with the ground was found: feet are not held, and "
                        "their slide is not measured",
                        clip_name);
  } else if (map.origin != humanoid::HumanoidMap::Origin::kNone) {
    report.warnings.add("no_legs", "the character has no complete leg: feet are not held",
                        clip_name);
  }
}

// Slide of the source and of the result, where there are feet.
void measureSlides(const Scene& scene, const humanoid::HumanoidMap& map, const FeetTrace& feet,
                   std::span<const LimbTrace> limbs, const Motion& stretched,
                   const FootLockSettings& settings, const ContactLimits& limits,
                   const FeetTrace* clip_feet, FootLockReport& report) {
  if (feet.feet.empty()) return;
  FeetTrace after = traceFeet(scene, map, stretched, limits);
  if (clip_feet) takeContacts(*clip_feet, after);
  report.metrics = slideMetrics(
      measureFootSlide(feet, limbs),
      measureFootSlide(after, traceLimbs(scene, map, stretched, after, settings.contact_limbs)));
  warnWhereFeetSlide(report.metrics, stretched.clip_name,
                     "planted feet drift by at least 5 mm more than in the source, where legs do "
                     "not reach their positions or contacts are short",
                     report.warnings);
}

}  // namespace

FootLockReport lockFeet(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& source,
                        Motion& stretched, const FootLockSettings& settings,
                        const FootLockSource& view) {
  FootLockReport report;
  if (settings.feet == FeetPolicy::kOff) return report;
  const ContactLimits limits{settings.contact_height_m, settings.contact_speed_mps, view.may_skate};
  FeetTrace feet = traceFeet(scene, map, source, limits);
  if (view.clip_feet) takeContacts(*view.clip_feet, feet);
  const std::vector<LimbTrace> limbs = traceLimbs(scene, map, source, feet, settings.contact_limbs);
  std::vector<LimbTask> tasks = makeTasks(scene, map, feet, limbs, settings.contact_limbs);
  if (view.within) keepWithin(*view.within, tasks);
  report.found_limbs = !tasks.empty();
  report.found_contacts = std::any_of(tasks.begin(), tasks.end(), [](const LimbTask& task) {
    return !task.support.spans.empty() || task.kneels();
  });
  if (!report.found_contacts) reportNothingHeld(map, stretched.clip_name, report);
  if (stretched.grid.frame_count < 2) return report;
  if (tasks.empty()) {
    measureSlides(scene, map, feet, limbs, stretched, settings, limits, view.clip_feet, report);
    return report;
  }

  followLimbs(scene, source, stretched, view.times_s, tasks);
  if (view.clip_feet) {
    keepPaceOf(*view.clip_feet, feet.leg_m, tasks);
    findPaceOf(*view.clip_feet, view.clip_rotation, feet, tasks);
  }
  const int hips = map[humanoid::HumanoidRole::kHips];
  const std::vector<int> ends = endsOf(tasks);
  const bool is_cycle = view.cycle || (isNearlyCycle(scene.skeleton, hips, ends, source) &&
                                       isNearlyCycle(scene.skeleton, hips, ends, stretched));
  const bool on_spot = isOnTheSpot(scene, hips, feet, stretched);
  PlanSettings plan_settings = planSettings(feet, tasks, stretched.grid.fps);
  plan_settings.release_s = settings.release_s;
  plan_settings.full_pace_mps = kFullPace * feet.leg_m;
  plan_settings.is_cycle = is_cycle;
  plan_settings.step = view.cycle;
  plan_settings.holds_slides = view.holds_slides;
  if (view.clip_feet) plan_settings.own_drift_m = kRetargetedDrift * feet.leg_m;
  const LimbPlanner planner(feet, plan_settings, settings.max_pelvis_drop, on_spot);
  double dropped_s = 0.0;
  for (LimbTask& task : tasks) {
    dropped_s += planner.planEnd(task);
    planner.planKnee(task);
  }
  if (dropped_s > 0.0) {
    report.warnings.add("feet_lifted_early",
                        "feet are put down later or lifted earlier than in the source, so that "
                        "legs reach their positions",
                        stretched.clip_name + ": by " + fixedText(dropped_s, 2) + " s in all");
  }
  HipsDropLimits drop_limits;
  drop_limits.max_share = settings.max_pelvis_drop;
  drop_limits.slow_mps = kSlowFoot * feet.leg_m;
  drop_limits.is_cycle = is_cycle;
  if (view.clip_feet) drop_limits.lift_m = kMaxLift * feet.leg_m;
  const std::vector<double> drop_m =
      dropHips(scene.skeleton, hips, stretched.grid, drop_limits, tasks);
  report.pelvis_drop_m = *std::max_element(drop_m.begin(), drop_m.end());
  report.changed = moveLimbs(scene, hips, drop_m, tasks, stretched);
  reportHeldInPart(stretched.clip_name, tasks, report);
  reportKnees(scene.skeleton, stretched, kneePeaks(tasks, drop_m, stretched.grid.fps), report);
  reportPlants(stretched.clip_name, tasks, report);
  if (view.finish) view.finish(stretched);
  measureSlides(scene, map, feet, limbs, stretched, settings, limits, view.clip_feet, report);
  report.metrics.push_back({"pelvis_drop_mm", 0.0, report.pelvis_drop_m * kMillimetresInMetre});
  return report;
}

Status checkFound(const FootLockReport& report, const FootLockSettings& settings) {
  if (settings.feet != FeetPolicy::kLock) return {};
  if (!report.found_limbs) {
    return Error{ErrorCode::kRecipe, "feet", "no character with legs was found",
                 "set feet to auto or off"};
  }
  if (report.found_contacts) return {};
  return Error{ErrorCode::kRecipe, "feet", "no contact of a foot with the ground was found",
               "set contact_height_m and contact_speed_mps, or set feet to auto or off"};
}

}  // namespace clipmill::locomotion
