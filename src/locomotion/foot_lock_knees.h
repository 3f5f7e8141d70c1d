// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "locomotion/foot_lock_move.h"

namespace clipmill::locomotion {

/// The largest acceleration of a knee, over steps of 1/30 s.
struct KneePeak {
  const LimbTask* leg = nullptr;
  std::size_t frame = 0;
  double acceleration_mps2 = 0.0;
};

/// Knees in the source, and in the result with the plan and LimbTask::pull_m of `tasks`.
struct KneePeaks {
  double source_mps2 = 0.0;
  KneePeak result;

  double factor() const { return source_mps2 > 0.0 ? result.acceleration_mps2 / source_mps2 : 0.0; }
};

/// The largest factor that is not reported.
inline constexpr double kMaxKneeFactor = 1.5;

/// The largest acceleration of a knee in the source, as in KneePeaks; 0 without a leg.
double sourceKneeAcceleration(std::span<const LimbTask> tasks, double fps);

/// The peaks after the hips dropped by `drop_m`; none without a leg, or in a motion of less than
/// three such steps.
std::optional<KneePeaks> kneePeaks(std::span<const LimbTask> tasks, std::span<const double> drop_m,
                                   double fps);

/// Keeps accelerations and angular accelerations of knees below kMaxKneeFactor times those of the
/// source, by the first of these that does, else by what lowers them most:
/// - nothing;
/// - a pull (LimbTask::pull_m) of the target of a foot towards the hip, so that the knee does not
///   snap where the leg gets straight or is straight no more. A target that is farther away than
///   the leg reaches is pulled to where it reaches, and the pull starts and ends under a raised
///   cosine. The least of a few: from 0.98, 0.965 or 0.95 of the length of a leg on, later while
///   the foot is planted; under ever longer windows;
/// - LimbTask::gentler_plan, with such a pull;
/// - for accelerations alone: a foot that is held in part (LimbTask::held_share, at least 0.6).
void pullFeet(std::span<const double> drop_m, double fps, bool is_cycle,
              std::vector<LimbTask>& tasks);

}  // namespace clipmill::locomotion
