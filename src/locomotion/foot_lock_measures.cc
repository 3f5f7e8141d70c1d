// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_measures.h"

#include <algorithm>

#include "core/units.h"
#include "locomotion/foot_skate.h"

namespace clipmill::locomotion {
namespace {

struct Slide {
  Skate skate;
  std::optional<double> drift_m;  // none without a contact

  std::optional<double> drift_mm() const {
    if (!drift_m) return std::nullopt;
    return *drift_m * kMillimetresInMetre;
  }

  void add(std::span<const TimeSpan> spans, double start_s, double step_s,
           std::span<const Vec3> positions_m) {
    skate.add(skateIn(spans, start_s, step_s, positions_m, levelOf(positions_m)));
    for (const TimeSpan& span : spans) {
      drift_m = std::max(drift_m.value_or(0.0), driftIn(span, start_s, step_s, positions_m));
    }
  }
};

// The parts of `spans`, times of the source, at which the end is at its target, as times of the
// stretched motion.
std::vector<TimeSpan> heldSpans(std::span<const TimeSpan> spans, const LimbTask& task) {
  std::vector<TimeSpan> held;
  for (const TimeSpan& span : spans) {
    bool is_open = false;
    for (std::size_t i = 0; i < task.ends.times_s.size(); ++i) {
      const bool is_held = span.holds(task.ends.source_times_s[i]) && task.short_m[i] <= kPlanted_m;
      const double time_s = task.ends.times_s[i];
      if (is_held && !is_open) held.push_back({time_s, time_s});
      if (is_held) held.back().end_s = time_s;
      is_open = is_held;
    }
  }
  return held;
}

const LimbTask* taskOf(std::span<const LimbTask> tasks, BodySide side) {
  for (const LimbTask& task : tasks) {
    if (task.limb.is_leg && task.limb.side == side) return &task;
  }
  return nullptr;
}

}  // namespace

std::vector<Metric> slideMetrics(const Scene& scene, const FeetTrace& source,
                                 const Motion& stretched, std::span<const LimbTask> tasks) {
  Slide before, after;
  for (const FootTrace& foot : source.feet) {
    const LimbTask* task = taskOf(tasks, foot.marks.side);
    if (!task) continue;
    const NodePoint points[] = {foot.marks.heel, foot.marks.ball};
    const PointPaths paths = samplePoints(scene, stretched, points);
    before.add(foot.heel_on, source.start_s, source.step_s, foot.heel_m);
    before.add(foot.ball_on, source.start_s, source.step_s, foot.ball_m);
    after.add(heldSpans(foot.heel_on, *task), paths.start_s, paths.step_s, paths.positions_m[0]);
    after.add(heldSpans(foot.ball_on, *task), paths.start_s, paths.step_s, paths.positions_m[1]);
  }
  return {{"foot_skate_cm", before.skate.cmPerFrame(), after.skate.cmPerFrame()},
          {"planted_drift_mm", before.drift_mm(), after.drift_mm()}};
}

}  // namespace clipmill::locomotion
