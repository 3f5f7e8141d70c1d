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

// The frames that are solved, in order; of a cycle three rounds, which share their ends.
std::vector<std::size_t> framesOf(std::size_t count, bool is_cycle) {
  const std::size_t period = count - 1, rounds = is_cycle ? 3 : 1;
  std::vector<std::size_t> frames;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < period; ++i) frames.push_back(i);
  }
  frames.push_back(period);
  return frames;
}

// The equations of the shifts that frames get along the ground.
struct Shifts {
  explicit Shifts(std::size_t count) : matrix(count), right_x(count, 0.0), right_z(count, 0.0) {}

  // Wants the step into frame `k` to be longer by `step_m`.
  void addStep(std::size_t k, double weight, const Vec3& step_m) {
    matrix.addDifference(k - 1, weight);
    right_x[k] += weight * step_m.x, right_x[k - 1] -= weight * step_m.x;
    right_z[k] += weight * step_m.z, right_z[k - 1] -= weight * step_m.z;
  }

  BandMatrix matrix;
  std::vector<double> right_x, right_z;
};

Shifts shiftsOf(const EndFrames& frames, const std::vector<std::size_t>& order,
                const LimbPlan& plan) {
  const std::size_t count = frames.times_s.size(), n = order.size();
  const double frame_s =
      (frames.times_s.back() - frames.times_s.front()) / static_cast<double>(count - 1);
  const double square = frame_s * frame_s;
  const auto plannedAt = [&](std::size_t i) {
    return frames.carried[i].translation + plan.offset_m[i];
  };
  Shifts shifts(n);
  for (std::size_t k = 0; k < n; ++k) {
    pollCancel();
    // The step into the first frame of a round is that into the last one of the round before.
    const std::size_t to = order[k] > 0 ? order[k] : k > 0 ? count - 1 : 1;
    const double low = frames.pace_weights[to];
    const double rate =
        low / (kOnGround_s * kOnGround_s) + (1.0 - low) / (kOffGround_s * kOffGround_s);
    shifts.matrix.addValue(k, plan.isPlantedAt(order[k]) ? kFixed : rate);
    if (k == 0) continue;
    const Vec3 lacking_m =
        stepWithin(frames.pace_m[to] - frames.pace_m[to - 1], plannedAt(to) - plannedAt(to - 1));
    shifts.addStep(k, low / square, lacking_m);
  }
  const double stiffness = kSmooth_s * kSmooth_s / (square * square);
  for (std::size_t k = 0; k + 2 < n; ++k) shifts.matrix.addSecondDifference(k, stiffness);
  return shifts;
}

}  // namespace

void followPace(const EndFrames& frames, const PlanSettings& settings, LimbPlan& plan) {
  const std::size_t count = frames.times_s.size();
  if (frames.pace_m.empty() || count < 3) return;
  const bool is_cycle = settings.is_cycle && !settings.step;
  const std::vector<std::size_t> order = framesOf(count, is_cycle);
  Shifts shifts = shiftsOf(frames, order, plan);
  const std::vector<double> x = solved(shifts.matrix, std::move(shifts.right_x));
  const std::vector<double> z = solved(std::move(shifts.matrix), std::move(shifts.right_z));
  const std::size_t start = is_cycle ? count - 1 : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 shift_m(x[start + i], 0.0, z[start + i]);
    if (plan.isPlantedAt(i) || lengthOf(shift_m) < kNothing_m) continue;
    plan.offset_m[i] += shift_m;
  }
}

}  // namespace clipmill::locomotion
