// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_reach.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/cancel.h"

namespace clipmill::locomotion {
namespace {

// Passes of projections onto the circles. Few circles bind, and most of their frames are neighbours
// with nearly the same one.
constexpr int kReachPasses = 50;

// A foot of the clip that moves less than this share of the reach beside a span rests.
constexpr double kRestShare = 0.02;

// The shift that brings an end into reach at one frame: its horizontal part from the hip is no
// longer than `radius_m`.
struct ReachCircle {
  Vec3 from_hip_m{0.0};  // horizontal
  double radius_m = 0.0;
};

// Of the end at `position_m`, with the largest drop of the hips. False where no shift helps.
bool circleOf(const LimbReach& reach, const Vec3& position_m, ReachCircle& circle) {
  const double height_m = std::max(0.0, reach.hip_m.y - reach.max_drop_m - position_m.y);
  const double square = reach.reach_m * reach.reach_m - height_m * height_m;
  if (!(square > 0.0)) return false;
  const Vec3 from_hip_m = position_m - reach.hip_m;
  circle = {Vec3(from_hip_m.x, 0.0, from_hip_m.z), std::sqrt(square)};
  return true;
}

void addCircles(const EndFrames& frames, const LimbPlan& plan, const PlantedSpan& span,
                std::vector<ReachCircle>& circles) {
  const auto add = [&](std::size_t frame, std::size_t planted) {
    ReachCircle circle;
    const Vec3 position_m = frames.carried[planted].translation + plan.offset_m[planted];
    if (circleOf(frames.reach[frame], position_m, circle)) circles.push_back(circle);
  };
  const auto rests = [&](std::size_t frame, std::size_t planted) {
    return std::abs(frames.along_m[frame] - frames.along_m[planted]) <
           kRestShare * frames.reach[frame].reach_m;
  };
  for (std::size_t i = span.first; i <= span.last; ++i) add(i, i);
  for (std::size_t i = span.first; i-- > 0 && rests(i, span.first);) add(i, span.first);
  for (std::size_t i = span.last + 1; i < frames.reach.size() && rests(i, span.last); ++i)
    add(i, span.last);
}

// Projections onto one circle after the other.
Vec3 shiftInto(const std::vector<ReachCircle>& circles) {
  Vec3 shift_m(0.0);
  for (int pass = 0; pass < kReachPasses; ++pass) {
    pollCancel();
    bool is_in_reach = true;
    for (const ReachCircle& circle : circles) {
      const Vec3 from_hip_m = circle.from_hip_m + shift_m;
      const double length_m = lengthOf(from_hip_m);
      if (!(length_m > circle.radius_m)) continue;
      shift_m -= from_hip_m * (1.0 - circle.radius_m / length_m);
      is_in_reach = false;
    }
    if (is_in_reach) break;
  }
  return shift_m;
}

void shiftSpan(const PlantedSpan& span, const Vec3& shift_m, LimbPlan& plan) {
  for (std::size_t i = span.first; i <= span.last; ++i) plan.offset_m[i] += shift_m;
}

}  // namespace

void keepSpansInReach(const EndFrames& frames, const PlanSettings& settings, LimbPlan& plan) {
  if (frames.reach.empty() || frames.moved_m.empty()) return;
  const std::vector<PlantedSpan> spans = plan.planted_spans;
  const bool is_cut = settings.is_cycle && spans.size() > 1 && spans.front().first == 0 &&
                      spans.back().last + 1 == frames.times_s.size();
  if (is_cut && settings.step) return;
  for (std::size_t s = 0; s < spans.size(); ++s) {
    std::vector<ReachCircle> circles;
    addCircles(frames, plan, spans[s], circles);
    const bool is_last = s + 1 == spans.size();
    if (is_cut && is_last) continue;
    if (is_cut && s == 0) addCircles(frames, plan, spans.back(), circles);
    const Vec3 shift_m = shiftInto(circles);
    shiftSpan(spans[s], shift_m, plan);
    if (is_cut && s == 0) shiftSpan(spans.back(), shift_m, plan);
  }
}

}  // namespace clipmill::locomotion
