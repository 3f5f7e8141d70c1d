// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_planner.h"

#include <algorithm>
#include <utility>

#include "core/math.h"
#include "locomotion/foot_lock_pelvis.h"

namespace clipmill::locomotion {
namespace {

// Share of the acceleration that a gentler release has.
constexpr double kGentlerShare = 0.5;

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

// Removes frames that widenedToFrames() added where the leg does not reach there without a drop
// of the hips. True where there are any.
bool narrow(const LimbTask& task, std::vector<PlantedSpan>& spans) {
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

Freedom freedomOf(const std::vector<PlantedSpan>& all, std::size_t s, bool is_cycle,
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

}  // namespace

double LimbPlanner::planEnd(LimbTask& task) const {
  const EndFrames ends = endsOnGround(feet_, task.ends, on_spot_);
  std::vector<PlantedSpan> all = plantedSpansOf(task.support, ends);
  const PlanSettings settings = settingsFor(ends);
  task.plan = planLimb(task.support, ends, settings, all);
  if (!task.limb.is_leg) return 0.0;
  if (narrow(task, all)) task.plan = planLimb(task.support, ends, settings, all);
  std::vector<PlantedSpan> kept = all;
  double dropped_s = 0.0;
  for (std::size_t s = 0; s < kept.size(); ++s) {
    const Freedom freedom = freedomOf(all, s, settings.is_cycle, ends.times_s);
    dropped_s += shorten(task, freedom.at_start, freedom.at_end, freedom.max_s, kept[s]);
  }
  if (dropped_s > 0.0) task.plan = planLimb(task.support, ends, settings, std::move(kept));
  PlanSettings gentler = settings;
  gentler.release_mps2 *= kGentlerShare;
  task.gentler_plan = planLimb(task.support, ends, gentler, task.plan.planted_spans);
  return dropped_s;
}

void LimbPlanner::planKnee(LimbTask& task) const {
  if (!task.kneels()) return;
  const EndFrames ends = endsOnGround(feet_, task.knee_ends, on_spot_);
  task.knee_plan =
      planLimb(task.knee_support, ends, settingsFor(ends), plantedSpansOf(task.knee_support, ends));
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

PlanSettings LimbPlanner::settingsFor(const EndFrames& ends) const {
  PlanSettings settings = settings_;
  if (settings.step && on_spot_) {
    settings.step->shift_m -=
        feet_.treadmill_mps * (ends.source_times_s.back() - ends.source_times_s.front());
  }
  return settings;
}

bool LimbPlanner::isOutOfReach(const LimbTask& task, std::size_t i) const {
  const Vec3 target = task.ends.carried[i].translation + task.plan.offset_m[i];
  return task.plan.movesAt(i) &&
         dropToReach(task.hip_m[i], target, task.reach_m[i]) > max_drop_ * task.length_m[i];
}

double LimbPlanner::shorten(const LimbTask& task, bool at_start, bool at_end, double max_s,
                            PlantedSpan& span) const {
  const std::vector<double>& times_s = task.ends.times_s;
  double dropped_s = 0.0;
  while (span.first < span.last) {
    const bool loses_end = at_end && isOutOfReach(task, span.last);
    if (!loses_end && !(at_start && isOutOfReach(task, span.first))) break;
    const std::size_t from = loses_end ? span.last - 1 : span.first;
    const double step_s = times_s[from + 1] - times_s[from];
    if (dropped_s + step_s > max_s) break;
    dropped_s += step_s;
    if (loses_end) {
      --span.last;
    } else {
      ++span.first;
    }
  }
  return dropped_s;
}

}  // namespace clipmill::locomotion
