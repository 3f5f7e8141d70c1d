// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_steps.h"

#include <vector>

#include "core/cancel.h"

namespace clipmill::locomotion {
namespace {

// Passes over all steps. Few are too long, and neighbours disturb each other little.
constexpr int kStepPasses = 30;

// From the end of one planted span to the start of another.
struct Step {
  std::size_t from = 0, to = 0;  // indices of the spans
  Vec3 offset_m{0.0};            // on the ground
  double max_length_m = 0.0;
};

Vec3 plantedAt(const EndFrames& frames, const LimbPlan& plan, std::size_t frame) {
  return frames.carried[frame].translation + plan.offset_m[frame];
}

std::vector<Step> stepsBetween(const EndFrames& frames, const PlanSettings& settings,
                               const LimbPlan& plan) {
  const std::vector<PlantedSpan>& spans = plan.planted_spans;
  std::vector<Step> steps;
  const auto add = [&](std::size_t from, std::size_t to, const Vec3& cycle_m,
                       double cycle_length_m) {
    const std::size_t end = spans[from].last, start = spans[to].first;
    const Vec3 offset_m = plantedAt(frames, plan, start) + cycle_m - plantedAt(frames, plan, end);
    const double max_length_m = frames.along_m[start] + cycle_length_m - frames.along_m[end];
    steps.push_back({from, to, Vec3(offset_m.x, 0.0, offset_m.z), max_length_m});
  };
  for (std::size_t s = 0; s + 1 < spans.size(); ++s) add(s, s + 1, Vec3(0.0), 0.0);
  if (settings.is_cycle && spans.size() > 1 && !settings.step) {
    add(spans.size() - 1, 0, frames.carried.back().translation - frames.carried.front().translation,
        frames.along_m.back() - frames.along_m.front());
  }
  return steps;
}

// One shift a span.
std::vector<Vec3> shiftsFor(const std::vector<Step>& steps, const LimbPlan& plan) {
  std::vector<Vec3> shifts(plan.planted_spans.size(), Vec3(0.0));
  const auto ease = [&](std::size_t s) {
    const PlantedSpan& span = plan.planted_spans[s];
    return 1.0 / static_cast<double>(span.last - span.first + 1);
  };
  for (int pass = 0; pass < kStepPasses; ++pass) {
    pollCancel();
    for (const Step& step : steps) {
      const Vec3 offset_m = step.offset_m + shifts[step.to] - shifts[step.from];
      const double length_m = lengthOf(offset_m);
      if (!(length_m > step.max_length_m)) continue;
      const Vec3 excess_m = offset_m * (1.0 - step.max_length_m / length_m);
      const double share = ease(step.to) / (ease(step.to) + ease(step.from));
      shifts[step.to] -= share * excess_m;
      shifts[step.from] += (1.0 - share) * excess_m;
    }
  }
  return shifts;
}

}  // namespace

void keepStepLengths(const EndFrames& frames, const PlanSettings& settings, LimbPlan& plan) {
  if (frames.moved_m.empty() || plan.planted_spans.size() < 2) return;
  const std::vector<Vec3> shifts = shiftsFor(stepsBetween(frames, settings, plan), plan);
  for (std::size_t s = 0; s < shifts.size(); ++s) {
    const PlantedSpan& span = plan.planted_spans[s];
    for (std::size_t i = span.first; i <= span.last; ++i) plan.offset_m[i] += shifts[s];
  }
}

}  // namespace clipmill::locomotion
