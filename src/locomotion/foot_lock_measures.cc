// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_measures.h"

#include <algorithm>

#include "core/to_size.h"
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
           std::span<const Vec3> positions_m, double leg_m) {
    skate.add(skateIn(spans, start_s, step_s, positions_m, levelOf(positions_m), leg_m));
    for (const TimeSpan& span : spans) {
      drift_m = std::max(drift_m.value_or(0.0), driftIn(span, start_s, step_s, positions_m));
    }
  }
};

// The parts of `spans`, times of the source, in which the limb is planned to be planted, as times
// of the stretched motion.
std::vector<TimeSpan> plannedSpans(std::span<const TimeSpan> spans, const LimbTask& task) {
  std::vector<TimeSpan> planned;
  for (const TimeSpan& span : spans) {
    bool is_open = false;
    for (std::size_t i = 0; i < task.ends.times_s.size(); ++i) {
      const bool is_on = span.holds(task.ends.source_times_s[i]) && task.plan.isPlantedAt(i);
      const double time_s = task.ends.times_s[i];
      if (is_on && !is_open) planned.push_back({time_s, time_s});
      if (is_on) planned.back().end_s = time_s;
      is_open = is_on;
    }
  }
  return planned;
}

// The time of the source at a time of the result.
double sourceTimeAt(const EndFrames& ends, double time_s) {
  const auto after = std::upper_bound(ends.times_s.begin(), ends.times_s.end(), time_s);
  if (after == ends.times_s.begin()) return ends.source_times_s.front();
  if (after == ends.times_s.end()) return ends.source_times_s.back();
  const auto i = toSize(after - ends.times_s.begin());
  const double f = (time_s - ends.times_s[i - 1]) / (ends.times_s[i] - ends.times_s[i - 1]);
  return ends.source_times_s[i - 1] + f * (ends.source_times_s[i] - ends.source_times_s[i - 1]);
}

// The paths of the result relative to the ground under it.
void putOnGround(const FeetTrace& source, const EndFrames& ends, bool on_spot, PointPaths& paths) {
  for (std::vector<Vec3>& path : paths.positions_m) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      const double moved_s = sourceTimeAt(ends, paths.timeOf(i)) - source.start_s;
      if (on_spot) path[i] -= source.treadmill_mps * moved_s;
      path[i].y -= source.slope.x * path[i].x + source.slope.z * path[i].z;
    }
  }
}

const LimbTask* taskOf(std::span<const LimbTask> tasks, BodySide side) {
  for (const LimbTask& task : tasks) {
    if (task.limb.is_leg && task.limb.side == side) return &task;
  }
  return nullptr;
}

}  // namespace

std::vector<Metric> slideMetrics(const Scene& scene, const FeetTrace& source,
                                 const Motion& stretched, std::span<const LimbTask> tasks,
                                 bool result_on_spot) {
  Slide before, after;
  for (const FootTrace& foot : source.feet) {
    const LimbTask* task = taskOf(tasks, foot.marks.side);
    if (!task) continue;
    const NodePoint points[] = {foot.marks.heel, foot.marks.ball};
    PointPaths paths = samplePoints(scene, stretched, points);
    putOnGround(source, task->ends, result_on_spot, paths);
    before.add(foot.heel_on, source.start_s, source.step_s, foot.heel_on_ground_m, source.leg_m);
    before.add(foot.ball_on, source.start_s, source.step_s, foot.ball_on_ground_m, source.leg_m);
    after.add(plannedSpans(foot.heel_on, *task), paths.start_s, paths.step_s, paths.positions_m[0],
              source.leg_m);
    after.add(plannedSpans(foot.ball_on, *task), paths.start_s, paths.step_s, paths.positions_m[1],
              source.leg_m);
  }
  return {{"foot_skate_cm", before.skate.cmPerFrame(), after.skate.cmPerFrame()},
          {"planted_drift_mm", before.drift_mm(), after.drift_mm()}};
}

}  // namespace clipmill::locomotion
