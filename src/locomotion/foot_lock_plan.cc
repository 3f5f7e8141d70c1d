// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/cancel.h"
#include "core/math.h"
#include "core/to_size.h"
#include "locomotion/foot_lock_follow.h"
#include "locomotion/foot_lock_reach.h"
#include "locomotion/foot_lock_steps.h"
#include "locomotion/foot_lock_support.h"

namespace clipmill::locomotion {
namespace {

bool isComplete(const Limb& limb) { return limb.upper >= 0 && limb.lower >= 0 && limb.end >= 0; }

// The first frame at or after a time.
std::size_t frameFrom(const std::vector<double>& times_s, double time_s) {
  return toSize(std::lower_bound(times_s.begin(), times_s.end(), time_s) - times_s.begin());
}

// The frames whose source times lie in `span`; none where `last` is before `first`.
std::vector<PlantedSpan> plantedSpansIn(const std::vector<TimeSpan>& spans,
                                        const EndFrames& frames) {
  const bool ascends = std::is_sorted(frames.source_times_s.begin(), frames.source_times_s.end());
  std::vector<PlantedSpan> planted_spans;
  for (const TimeSpan& span : spans) {
    pollCancel();
    bool is_open = false;
    const std::size_t from = ascends ? frameFrom(frames.source_times_s, span.start_s) : 0;
    for (std::size_t i = from; i < frames.source_times_s.size(); ++i) {
      if (ascends && frames.source_times_s[i] > span.end_s) break;
      if (!span.holds(frames.source_times_s[i])) {
        is_open = false;
        continue;
      }
      if (!is_open) planted_spans.push_back({i, i});
      is_open = true;
      planted_spans.back().last = i;
    }
  }
  return planted_spans;
}

// `span` from the frame before it and to the frame after it, where it covers at least this share of
// the interval up to there.
TimeSpan widenedToFrames(const TimeSpan& span, const std::vector<double>& times_s, bool ascends) {
  constexpr double kLeastShare = 0.75;
  pollCancel();
  TimeSpan wide = span;
  const std::size_t from = ascends ? std::max<std::size_t>(frameFrom(times_s, span.start_s), 1) : 1;
  for (std::size_t i = from; i < times_s.size(); ++i) {
    if (ascends && times_s[i - 1] > span.end_s) break;
    const TimeSpan interval{times_s[i - 1], times_s[i]};
    const double least_s = kLeastShare * interval.length();
    const bool starts_here = span.start_s > interval.start_s && span.start_s < interval.end_s;
    if (starts_here && interval.end_s <= span.end_s && interval.end_s - span.start_s >= least_s) {
      wide.start_s = interval.start_s;
    }
    const bool ends_here = span.end_s > interval.start_s && span.end_s < interval.end_s;
    if (ends_here && interval.start_s >= span.start_s && span.end_s - interval.start_s >= least_s) {
      wide.end_s = interval.end_s;
    }
  }
  return wide;
}

// By what releases run: their clock, and how far back they keep the end on its carried path.
struct Pace {
  std::vector<double> clock_s;    // one a frame, ascending
  std::vector<Vec3> kept_back_m;  // likewise, in sum up to that frame; empty without a pace
};

// The clock of releases is slower where the foot of the clip is or where that is on its ground. An
// end is kept back where it would be faster along the ground than that foot.
Pace paceOf(const EndFrames& frames, const PlanSettings& settings) {
  constexpr double kLeastRate = 0.02;
  if (frames.moved_m.empty()) return {frames.times_s, {}};
  Pace pace{{frames.times_s.front()}, {Vec3(0.0)}};
  for (std::size_t i = 1; i < frames.times_s.size(); ++i) {
    const double step_s = frames.times_s[i] - frames.times_s[i - 1];
    const double moved_m = frames.moved_m[i] - frames.moved_m[i - 1];
    const double along_m = frames.along_m[i] - frames.along_m[i - 1];
    const double low = frames.low.empty() ? 0.0 : frames.low[i];
    const double rate = (1.0 - low) * moved_m / (settings.full_pace_mps * step_s);
    pace.clock_s.push_back(pace.clock_s.back() + step_s * std::clamp(rate, kLeastRate, 1.0));
    Vec3 step_m = frames.carried[i].translation - frames.carried[i - 1].translation;
    step_m.y = 0.0;
    const double length_m = lengthOf(step_m);
    const double excess = length_m > along_m ? 1.0 - along_m / length_m : 0.0;
    pace.kept_back_m.push_back(pace.kept_back_m.back() - excess * step_m);
  }
  return pace;
}

// Offset and yaw at one edge of a planted span, and their rates there; time runs away from the
// span.
struct Edge {
  double time_s = 0.0;    // of the clock
  Vec3 kept_back_m{0.0};  // Pace::kept_back_m
  Vec3 offset_m{0.0}, rate_mps{0.0};
  double yaw_rad = 0.0, yaw_rate = 0.0;
  double length_s = 0.0;  // of the return to zero

  bool isNothing() const { return offset_m == Vec3(0.0) && yaw_rad == 0.0; }
};

// The cubic of a release starts with an acceleration of 6 offset / length^2 + 4 rate / length, and
// its rate carries it on by 4/27 rate length.
double releaseTime(const Edge& edge, const PlanSettings& settings) {
  constexpr double kOvershoot = 4.0 / 27.0;
  const double rate = lengthOf(edge.rate_mps), limit = settings.release_mps2;
  const double square = 6.0 * lengthOf(edge.offset_m) * limit;
  const double gentle_s = (2.0 * rate + std::sqrt(4.0 * rate * rate + square)) / limit;
  const double offset_s = std::sqrt(square) / limit;
  const double near_s = rate > 0.0 ? settings.max_overshoot_m / (kOvershoot * rate) : gentle_s;
  return std::max({settings.release_s, offset_s, std::min(gentle_s, near_s)});
}

Edge edgeOf(const LimbPlan& plan, const EndFrames& frames, const Pace& pace,
            const PlantedSpan& span, bool is_end, const PlanSettings& settings) {
  const std::size_t frame = is_end ? span.last : span.first;
  const std::size_t inner = span.first == span.last ? frame : is_end ? frame - 1 : frame + 1;
  Edge edge;
  edge.time_s = pace.clock_s[frame];
  edge.offset_m = plan.offset_m[frame];
  edge.yaw_rad = plan.yaw_rad[frame];
  const double step_s = std::abs(frames.times_s[frame] - frames.times_s[inner]);
  if (!pace.kept_back_m.empty()) {
    edge.kept_back_m = pace.kept_back_m[frame];
  } else if (step_s > 0.0) {
    edge.rate_mps = (edge.offset_m - plan.offset_m[inner]) / step_s;
    edge.yaw_rate = (edge.yaw_rad - plan.yaw_rad[inner]) / step_s;
  }
  if (!edge.isNothing()) edge.length_s = releaseTime(edge, settings);
  return edge;
}

// A frame of a gap between planted spans; times of one gap ascend, also across the end of a cycle.
struct GapFrame {
  std::size_t frame = 0;
  double time_s = 0.0;
  Vec3 kept_back_m{0.0};
};

void addRelease(const Edge& edge, const GapFrame& at, LimbPlan& plan) {
  const double away_s = std::abs(at.time_s - edge.time_s);
  if (edge.isNothing() || !(away_s < edge.length_s)) return;
  const double u = away_s / edge.length_s;
  const double value = (1.0 + 2.0 * u) * (1.0 - u) * (1.0 - u);
  const double slope = u * (1.0 - u) * (1.0 - u) * edge.length_s;
  const Vec3 offset_m = edge.offset_m + (at.kept_back_m - edge.kept_back_m);
  plan.offset_m[at.frame] += value * offset_m + slope * edge.rate_mps;
  plan.yaw_rad[at.frame] += value * edge.yaw_rad + slope * edge.yaw_rate;
}

void fillGap(Edge before, Edge after, const std::vector<GapFrame>& gap, LimbPlan& plan) {
  const double gap_s = after.time_s - before.time_s;
  const double wanted_s = before.length_s + after.length_s;
  // No time to fade to zero and back: one cubic from edge to edge, which is the sum of both.
  if (wanted_s > gap_s) {
    before.length_s = before.isNothing() ? 0.0 : gap_s;
    after.length_s = after.isNothing() ? 0.0 : gap_s;
  }
  for (const GapFrame& at : gap) {
    addRelease(before, at, plan);
    addRelease(after, at, plan);
  }
}

// Between a span and an end of the clip. Where time is short an offset is left there: a foot that
// returned to its own path within a frame or two would snap.
void fillEnd(const Edge& edge, const std::vector<GapFrame>& gap, LimbPlan& plan) {
  for (const GapFrame& at : gap) addRelease(edge, at, plan);
}

// What a cycle adds to the clock, and to how far the end is kept back.
GapFrame cycleOf(const Pace& pace) {
  const Vec3 kept_back_m = pace.kept_back_m.empty() ? Vec3(0.0) : pace.kept_back_m.back();
  return {0, pace.clock_s.back() - pace.clock_s.front(), kept_back_m};
}

// The frames from `from` up to but without `to`; `again` where they follow on the end of a cycle.
void addFrames(const Pace& pace, std::size_t from, std::size_t to, bool again,
               std::vector<GapFrame>& gap) {
  const GapFrame cycle = again ? cycleOf(pace) : GapFrame{};
  for (std::size_t i = from; i < to; ++i) {
    GapFrame& at = gap.emplace_back(GapFrame{i, pace.clock_s[i] + cycle.time_s, cycle.kept_back_m});
    if (!pace.kept_back_m.empty()) at.kept_back_m += pace.kept_back_m[i];
  }
}

// Between planted spans offsets fade to zero and back. In a cycle the gap after the last
// span continues from the end of the clip at its start, which have the same pose.
void fillGaps(const EndFrames& frames, const PlanSettings& settings, LimbPlan& plan) {
  if (plan.planted_spans.empty()) return;
  const std::size_t count = frames.times_s.size();
  const Pace pace = paceOf(frames, settings);
  const auto edge = [&](const PlantedSpan& span, bool is_end) {
    return edgeOf(plan, frames, pace, span, is_end, settings);
  };
  for (std::size_t s = 0; s + 1 < plan.planted_spans.size(); ++s) {
    const PlantedSpan &a = plan.planted_spans[s], &b = plan.planted_spans[s + 1];
    std::vector<GapFrame> gap;
    addFrames(pace, a.last + 1, b.first, false, gap);
    fillGap(edge(a, true), edge(b, false), gap, plan);
  }
  const PlantedSpan &first = plan.planted_spans.front(), &last = plan.planted_spans.back();
  std::vector<GapFrame> head, tail;
  addFrames(pace, 0, first.first, false, head);
  addFrames(pace, last.last + 1, count, false, tail);
  if (!settings.is_cycle) {
    fillEnd(edge(first, false), head, plan);
    fillEnd(edge(last, true), tail, plan);
    return;
  }
  addFrames(pace, 0, first.first, true, tail);
  Edge again = edge(first, false);
  const GapFrame cycle = cycleOf(pace);
  again.time_s += cycle.time_s;
  again.kept_back_m += cycle.kept_back_m;
  fillGap(edge(last, true), again, tail, plan);
}

}  // namespace

std::vector<Limb> limbsOf(const Skeleton& skeleton, const humanoid::HumanoidMap& map, bool hands) {
  using Role = humanoid::HumanoidRole;
  std::vector<Limb> all = {{"left foot", map[Role::kLeftUpperLeg], map[Role::kLeftLowerLeg],
                            map[Role::kLeftFoot], true, BodySide::kLeft},
                           {"right foot", map[Role::kRightUpperLeg], map[Role::kRightLowerLeg],
                            map[Role::kRightFoot], true, BodySide::kRight}};
  if (hands) {
    all.push_back({"left hand", map[Role::kLeftUpperArm], map[Role::kLeftLowerArm],
                   map[Role::kLeftHand], false, BodySide::kLeft});
    all.push_back({"right hand", map[Role::kRightUpperArm], map[Role::kRightLowerArm],
                   map[Role::kRightHand], false, BodySide::kRight});
  }
  std::erase_if(all, [&](const Limb& limb) {
    return !isComplete(limb) || limb.upper == limb.lower || limb.lower == limb.end ||
           !isAtOrBelow(skeleton, limb.lower, limb.upper) ||
           isAtOrBelow(skeleton, limb.lower, limb.end);
  });
  for (Limb& limb : all) limb.is_end_apart = !isAtOrBelow(skeleton, limb.end, limb.lower);
  return all;
}

bool Support::isInNarrowSpan(double time_s) const {
  return !spansWithin(narrow_spans, {time_s, time_s}).empty();
}

bool LimbPlan::isPlantedAt(std::size_t frame) const {
  const auto span = std::partition_point(planted_spans.begin(), planted_spans.end(),
                                         [&](const PlantedSpan& s) { return s.last < frame; });
  return span != planted_spans.end() && frame >= span->first;
}

Support widenedToFrames(Support support, const EndFrames& frames) {
  const std::vector<double>& times_s = frames.source_times_s;
  const bool ascends = std::is_sorted(times_s.begin(), times_s.end());
  const auto widen = [&](std::vector<TimeSpan>& spans) {
    for (TimeSpan& span : spans) span = widenedToFrames(span, times_s, ascends);
    spans = unionOf(std::move(spans), {}, 0.0);
  };
  for (Pivot& pivot : support.pivots) widen(pivot.spans);
  support.narrow_spans = support.spans;
  widen(support.spans);
  return support;
}

std::vector<PlantedSpan> plantedSpansOf(const Support& support, const EndFrames& frames) {
  return plantedSpansIn(support.spans, frames);
}

LimbPlan planLimb(const Support& support, const EndFrames& frames, const PlanSettings& settings,
                  std::vector<PlantedSpan> planted) {
  LimbPlan plan;
  const std::size_t count = frames.times_s.size();
  plan.offset_m.assign(count, Vec3(0.0));
  plan.yaw_rad.assign(count, 0.0);
  plan.planted_spans = std::move(planted);
  planPlantedSpans(support, frames, settings, plan);
  keepStepLengths(frames, settings, plan);
  keepSpansInReach(frames, settings, plan);
  fillGaps(frames, settings, plan);
  followPace(frames, settings, plan);
  return plan;
}

}  // namespace clipmill::locomotion
