// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_follow.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/band_solver.h"
#include "core/cancel.h"

namespace clipmill::locomotion {
namespace {

// Time scales: of the return to the plan on the ground and off it, and of changes of speed.
constexpr double kOnGround_s = 1.0, kOffGround_s = 0.2, kSmooth_s = 0.015;

// Weight of frames that stay.
constexpr double kFixed = 1e9;

// A frame that moves by less than this stays.
constexpr double kNothing_m = 1e-6;

// What a planned step lacks to the nearest one along `pace_m` that is no longer than that.
Vec3 stepWithin(const Vec3& pace_m, const Vec3& planned_m) {
  const Vec3 level_m(planned_m.x, 0.0, planned_m.z);
  const double square = glm::dot(pace_m, pace_m);
  const double share =
      square > 0.0 ? std::clamp(glm::dot(level_m, pace_m) / square, 0.0, 1.0) : 0.0;
  return share * pace_m - level_m;
}

// What is solved: steps into frames and frames, in order; a cycle three times.
struct Frames {
  std::vector<std::size_t> of;  // indices of EndFrames
};

Frames framesOf(std::size_t count, bool is_cycle) {
  Frames frames;
  const std::size_t period = count - 1, copies = is_cycle ? 3 : 1;
  for (std::size_t i = 0; i < copies * period + 1; ++i)
    frames.of.push_back(copies > 1 && i != copies * period ? i % period
                                                           : i - (copies - 1) * period);
  if (copies == 1) {
    for (std::size_t i = 0; i < count; ++i) frames.of[i] = i;
  }
  return frames;
}

}  // namespace

void followPace(const EndFrames& frames, const PlanSettings& settings, LimbPlan& plan) {
  const std::size_t count = frames.times_s.size();
  if (frames.pace_m.empty() || count < 3) return;
  const bool is_cycle = settings.is_cycle && !settings.step;
  const std::vector<std::size_t> order = framesOf(count, is_cycle).of;
  const std::size_t n = order.size();
  BandMatrix matrix(n);
  std::vector<double> right_x(n, 0.0), right_z(n, 0.0);
  const double frame_s =
      (frames.times_s.back() - frames.times_s.front()) / static_cast<double>(count - 1);
  for (std::size_t k = 0; k < n; ++k) {
    pollCancel();
    const std::size_t i = order[k];
    // The step into the first frame of a cycle is that into its last.
    const std::size_t to = k > 0 && i == 0 ? count - 1 : i;
    const double low = to > 0 ? frames.pace_weights[to] : frames.pace_weights[1];
    const double rate =
        low / (kOnGround_s * kOnGround_s) + (1.0 - low) / (kOffGround_s * kOffGround_s);
    matrix.addValue(k, plan.isPlantedAt(i) ? kFixed : rate);
    if (k == 0) continue;
    const auto plannedAt = [&](std::size_t f) {
      return frames.carried[f].translation + plan.offset_m[f];
    };
    const Vec3 missing_m =
        stepWithin(frames.pace_m[to] - frames.pace_m[to - 1], plannedAt(to) - plannedAt(to - 1));
    const double weight = low / (frame_s * frame_s);
    matrix.addDifference(k - 1, weight);
    right_x[k] += weight * missing_m.x, right_x[k - 1] -= weight * missing_m.x;
    right_z[k] += weight * missing_m.z, right_z[k - 1] -= weight * missing_m.z;
  }
  const double stiffness = kSmooth_s * kSmooth_s / (frame_s * frame_s * frame_s * frame_s);
  for (std::size_t k = 0; k + 2 < n; ++k) matrix.addSecondDifference(k, stiffness);
  const std::vector<double> x = solved(matrix, std::move(right_x));
  const std::vector<double> z = solved(matrix, std::move(right_z));
  const std::size_t start = is_cycle ? count - 1 : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 shift_m(x[start + i], 0.0, z[start + i]);
    if (plan.isPlantedAt(i) || lengthOf(shift_m) < kNothing_m) continue;
    plan.offset_m[i] += shift_m;
  }
}

}  // namespace clipmill::locomotion
