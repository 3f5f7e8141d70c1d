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
#include "locomotion/foot_lock_knees.h"
#include "locomotion/foot_lock_move.h"
#include "locomotion/foot_lock_pelvis.h"
#include "locomotion/foot_lock_plan.h"
#include "locomotion/foot_slide.h"
#include "locomotion/ground.h"
#include "locomotion/root_motion.h"
#include "scene/partial_pose.h"

namespace clipmill::locomotion {
namespace {

// A planted end farther than this from its target has left it.
constexpr double kPlanted_m = 0.005;

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

// The ends of a limb in the frame of the ground, which rests under a result that travels.
EndFrames endsOnGround(const FeetTrace& feet, EndFrames ends, bool result_on_spot) {
  if (feet.treadmill_mps == Vec3(0.0)) return ends;
  for (std::size_t i = 0; i < ends.times_s.size(); ++i) {
    const Vec3 moved = feet.treadmill_mps * (ends.source_times_s[i] - feet.start_s);
    ends.source[i].translation -= moved;
    if (result_on_spot) ends.carried[i].translation -= moved;
  }
  return ends;
}

// Plans all limbs. Where a leg is out of reach even with the largest drop of the hips, its spans
// lose the frames at their ends in which it is; then the plan is made again.
class Planner {
 public:
  Planner(const FeetTrace& feet, const PlanSettings& settings, double max_drop, bool on_spot)
      : feet_(feet), settings_(settings), max_drop_(max_drop), on_spot_(on_spot) {}

  // Returns the time that contacts drop, in seconds.
  double plan(LimbTask& task) const {
    const EndFrames ends = endsOnGround(feet_, task.ends, on_spot_);
    std::vector<PlantedSpan> all = plantedSpansOf(task.support, ends);
    const PlanSettings settings = settingsFor(ends);
    task.plan = planLimb(task.support, ends, settings, all);
    if (!task.limb.is_leg) return 0.0;
    if (narrow(task, all)) task.plan = planLimb(task.support, ends, settings, all);
    std::vector<PlantedSpan> kept = all;
    double dropped_s = 0.0;
    for (std::size_t s = 0; s < kept.size(); ++s) {
      dropped_s += shorten(task, freedomOf(all, s, settings.is_cycle, ends.times_s), kept[s]);
    }
    if (dropped_s > 0.0) task.plan = planLimb(task.support, ends, settings, std::move(kept));
    return dropped_s;
  }

  void planKnee(LimbTask& task) const {
    if (!task.kneels()) return;
    const EndFrames ends = endsOnGround(feet_, task.knee_ends, on_spot_);
    task.knee_plan = planLimb(task.knee_support, ends, settingsFor(ends),
                              plantedSpansOf(task.knee_support, ends));
    for (std::size_t i = 0; i < ends.times_s.size(); ++i) {
      double share = 0.0;
      for (const PlantedSpan& span : task.knee_plan.planted_spans) {
        const double away_s = std::max({0.0, ends.times_s[span.first] - ends.times_s[i],
                                        ends.times_s[i] - ends.times_s[span.last]});
        const double u = settings_.release_s > 0.0 ? away_s / settings_.release_s : away_s;
        if (u < 1.0) share = std::max(share, (1.0 - u) * (1.0 - u) * (1.0 + 2.0 * u));
      }
      task.knee_share.push_back(share);
    }
  }

 private:
  // The settings for ends in the frame of the ground.
  PlanSettings settingsFor(const EndFrames& ends) const {
    PlanSettings settings = settings_;
    if (settings.step && on_spot_) {
      settings.step->shift_m -=
          feet_.treadmill_mps * (ends.source_times_s.back() - ends.source_times_s.front());
    }
    return settings;
  }

  bool isOutOfReach(const LimbTask& task, std::size_t i) const {
    const Vec3 target = task.ends.carried[i].translation + task.plan.offset_m[i];
    return task.plan.movesAt(i) &&
           dropToReach(task.hip_m[i], target, task.reach_m[i]) > max_drop_ * task.length_m[i];
  }

  // Removes frames that widenedToFrames() added where the leg does not reach there without a drop
  // of the hips. True where there are any.
  static bool narrow(const LimbTask& task, std::vector<PlantedSpan>& spans) {
    const auto isTooFar = [&](std::size_t i) {
      const Vec3 target = task.ends.carried[i].translation + task.plan.offset_m[i];
      return !task.support.isInNarrowSpan(task.ends.source_times_s[i]) &&
             dropToReach(task.hip_m[i], target, task.reach_m[i]) > 0.0;
    };
    bool is_narrowed = false;
    for (PlantedSpan& span : spans) {
      const PlantedSpan wide = span;
      if (span.first < span.last && isTooFar(span.first)) ++span.first;
      if (span.first < span.last && isTooFar(span.last)) --span.last;
      is_narrowed = is_narrowed || span.first != wide.first || span.last != wide.last;
    }
    return is_narrowed;
  }

  // By how much a span may be shortened, and at which of its ends. The parts of a span that the
  // seam of a cycle cuts meet there, and share what the whole may lose.
  struct Freedom {
    double max_s = 0.0;
    bool at_start = true, at_end = true;
  };

  static Freedom freedomOf(const std::vector<PlantedSpan>& all, std::size_t s, bool is_cycle,
                           const std::vector<double>& times_s) {
    constexpr double kMaxShare = 0.4;
    const auto lengthOf_s = [&](const PlantedSpan& span) {
      return times_s[span.last] - times_s[span.first];
    };
    Freedom freedom{kMaxShare * lengthOf_s(all[s])};
    if (!is_cycle || all.front().first > 0 || all.back().last + 1 < times_s.size()) return freedom;
    freedom.at_start = s > 0;
    freedom.at_end = s + 1 < all.size();
    if (freedom.at_start && freedom.at_end) return freedom;
    freedom.max_s = 0.5 * kMaxShare * (lengthOf_s(all.front()) + lengthOf_s(all.back()));
    return freedom;
  }

  double shorten(const LimbTask& task, const Freedom& freedom, PlantedSpan& span) const {
    const std::vector<double>& times_s = task.ends.times_s;
    double dropped_s = 0.0;
    while (span.first < span.last) {
      const bool at_end = freedom.at_end && isOutOfReach(task, span.last);
      if (!at_end && !(freedom.at_start && isOutOfReach(task, span.first))) break;
      const std::size_t from = at_end ? span.last - 1 : span.first;
      const double step_s = times_s[from + 1] - times_s[from];
      if (dropped_s + step_s > freedom.max_s) break;
      dropped_s += step_s;
      if (at_end) {
        --span.last;
      } else {
        ++span.first;
      }
    }
    return dropped_s;
  }

  const FeetTrace& feet_;
  PlanSettings settings_;
  double max_drop_;
  bool on_spot_;
};

// Drop of the hips at every frame, in metres.
std::vector<double> dropOfHips(const Skeleton& skeleton, int hips, const TimeGrid& grid,
                               std::span<const LimbTask> tasks, double max_share, bool is_cycle) {
  std::vector<double> needed(grid.frame_count, 0.0);
  std::vector<bool> is_airborne(grid.frame_count, true);
  for (const LimbTask& task : tasks) {
    if (!task.limb.is_leg) continue;
    const bool hangs_on_hips = hips >= 0 && isAtOrBelow(skeleton, task.limb.upper, hips);
    for (std::size_t i = 0; i < grid.frame_count; ++i) {
      if (task.kneels() && task.knee_plan.isPlantedAt(i)) is_airborne[i] = false;
      pollCancel();
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

// A drift or skate that is larger than in the source, with both numbers.
void reportSlide(const std::string& clip_name, FootLockReport& report) {
  constexpr double kMoreDrift_mm = kPlanted_m * kMillimetresInMetre;
  std::string numbers;
  bool is_worse = false;
  for (const Metric& metric : report.metrics) {
    if (!metric.before) continue;
    numbers += (numbers.empty() ? "" : ", ") + metric.name + " " + fixedText(*metric.before, 2) +
               " before and " + (metric.after ? fixedText(*metric.after, 2) : "no contact") +
               " after";
    is_worse =
        is_worse || !metric.after ||
        (metric.name == "planted_drift_mm" && *metric.after > *metric.before + kMoreDrift_mm);
  }
  if (!is_worse) return;
  report.warnings.add("feet_slide",
                      "planted feet drift by at least 5 mm more than in the source, where legs do "
                      "not reach their positions or contacts are short",
                      clip_name + ": " + numbers);
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

// Legs whose feet cannot be held at all.
void reportNothingHeld(const humanoid::HumanoidMap& map, const std::string& clip_name,
                       FootLockReport& report) {
  if (report.found_limbs) {
    report.warnings.add("no_contacts",
                        "no contact of a foot with the ground was found: feet are not held, and "
                        "their slide is not measured",
                        clip_name);
  } else if (map.origin != humanoid::HumanoidMap::Origin::kNone) {
    report.warnings.add("no_legs",
                        "the character has no complete leg: feet are not held, and their slide is "
                        "not measured",
                        clip_name);
  }
}

}  // namespace

FootLockReport lockFeet(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& source,
                        Motion& stretched, const FootLockSettings& settings,
                        const FootLockSource& view) {
  FootLockReport report;
  if (settings.feet == FeetPolicy::kOff) return report;
  const ContactLimits limits{settings.contact_height_m, settings.contact_speed_mps};
  const FeetTrace feet = traceFeet(scene, map, source, limits);
  const std::vector<LimbTrace> limbs = traceLimbs(scene, map, source, feet, settings.contact_limbs);
  std::vector<LimbTask> tasks = makeTasks(scene, map, feet, limbs, settings.contact_limbs);
  if (view.within) keepWithin(*view.within, tasks);
  report.found_limbs = !tasks.empty();
  report.found_contacts = std::any_of(tasks.begin(), tasks.end(), [](const LimbTask& task) {
    return !task.support.spans.empty() || task.kneels();
  });
  if (!report.found_contacts) reportNothingHeld(map, stretched.clip_name, report);
  if (tasks.empty() || stretched.grid.frame_count < 2) return report;

  followLimbs(scene, source, stretched, view.times_s, tasks);
  const int hips = map[humanoid::HumanoidRole::kHips];
  const bool is_cycle = view.cycle || (isCycle(scene.skeleton, hips, source) &&
                                       isCycle(scene.skeleton, hips, stretched));
  const bool on_spot = isOnTheSpot(scene, hips, feet, stretched);
  const Planner planner(feet, {settings.release_s, is_cycle, view.cycle, view.holds_slides},
                        settings.max_pelvis_drop, on_spot);
  double dropped_s = 0.0;
  for (LimbTask& task : tasks) {
    dropped_s += planner.plan(task);
    planner.planKnee(task);
  }
  if (dropped_s > 0.0) {
    report.warnings.add("feet_lifted_early",
                        "feet are put down later or lifted earlier than in the source, so that "
                        "legs reach their positions",
                        stretched.clip_name + ": by " + fixedText(dropped_s, 2) + " s in all");
  }
  const std::vector<double> drop_m =
      dropOfHips(scene.skeleton, hips, stretched.grid, tasks, settings.max_pelvis_drop, is_cycle);
  report.pelvis_drop_m = *std::max_element(drop_m.begin(), drop_m.end());
  pullFeet(drop_m, stretched.grid.fps, is_cycle, tasks);
  report.changed = moveLimbs(scene, hips, drop_m, tasks, stretched);
  reportKnees(scene.skeleton, stretched, kneePeaks(tasks, drop_m, stretched.grid.fps), report);
  reportPlants(stretched.clip_name, tasks, report);
  const FeetTrace after = traceFeet(scene, map, stretched, limits);
  report.metrics = slideMetrics(
      measureFootSlide(feet, limbs),
      measureFootSlide(after, traceLimbs(scene, map, stretched, after, settings.contact_limbs)));
  reportSlide(stretched.clip_name, report);
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
