// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_knees.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "anim/two_bone_ik.h"
#include "core/to_size.h"
#include "locomotion/frame_windows.h"

namespace clipmill::locomotion {
namespace {

// Step of accelerations.
constexpr double kKneeStep_s = 1.0 / 30.0;

// Half widths of the window under which a pull begins and ends.
constexpr double kPullWindows_s[] = {0.04, 0.06, 0.08, 0.12, 0.16};

// From which share of its length on a leg is pulled: one in the air, and one that is planted, which
// holds its foot as long as it can.
struct ReachLimit {
  double in_air = 0.0, planted = 0.0;
};
constexpr ReachLimit kReachLimits[] = {{0.98, 0.995}, {0.965, 0.985}, {0.95, 0.97}};

// What is left of a pull after so many passes is approached with a straight leg.
constexpr int kPasses = 12;
constexpr double kSmallExcess = 1e-3;

// Windows are chosen with some room below the limit, since knees are measured between frames too.
constexpr double kRoom = 0.97;

// A window that lowers the peak by less than this share is not worth it.
constexpr double kLeastGain = 0.02;

double peakOf(std::span<const Vec3> knees_m, double fps, std::size_t& frame) {
  const std::size_t reach = framesIn(kKneeStep_s, fps);
  const double step_s = static_cast<double>(reach) / fps;
  double peak = 0.0;
  for (std::size_t i = reach; i + reach < knees_m.size(); ++i) {
    const Vec3 second = knees_m[i + reach] - 2.0 * knees_m[i] + knees_m[i - reach];
    const double acceleration = lengthOf(second) / (step_s * step_s);
    if (!(acceleration > peak)) continue;
    peak = acceleration;
    frame = i;
  }
  return peak;
}

Vec3 hipOf(const LimbTask& task, std::span<const double> drop_m, std::size_t i) {
  return task.hip_m[i] - Vec3(0.0, drop_m[i], 0.0);
}

std::vector<Vec3> kneesOf(const LimbTask& task, std::span<const double> drop_m) {
  std::vector<Vec3> knees_m;
  for (std::size_t i = 0; i < drop_m.size(); ++i) {
    const Vec3 sunk(0.0, -drop_m[i], 0.0);
    const TwoBoneLimb leg{task.hip_m[i] + sunk, task.middle_m[i] + sunk,
                          task.ends.carried[i].translation + sunk,
                          task.upper_linear[i] * task.forward};
    const Vec3 target = task.targetAt(i, leg.root);
    const bool moves = task.movesAt(drop_m[i], i);
    knees_m.push_back(moves ? reachWithTwoBones(leg, target, kSoftShare * task.length_m[i]).middle
                            : leg.middle);
  }
  return knees_m;
}

// Distances from hip to target, and those that the leg should not exceed; shares of its length.
struct Extension {
  std::vector<double> wanted, limit;
};

Extension extensionOf(const LimbTask& task, std::span<const double> drop_m,
                      const ReachLimit& reach) {
  Extension extension;
  for (std::size_t i = 0; i < drop_m.size(); ++i) {
    const Vec3& carried = task.ends.carried[i].translation;
    const double own = lengthOf(carried - task.hip_m[i]) / task.length_m[i];
    const double wanted =
        lengthOf(carried + task.plan.offset_m[i] - hipOf(task, drop_m, i)) / task.length_m[i];
    const double limit = task.plan.isPlantedAt(i) ? reach.planted : reach.in_air;
    extension.wanted.push_back(wanted);
    extension.limit.push_back(std::max(own, limit));
  }
  return extension;
}

// A smooth function of time after which no extension exceeds its limit.
std::vector<double> pullOf(const LimbTask& task, std::span<const double> drop_m,
                           const ReachLimit& reach, double window_s, double fps, bool is_cycle) {
  const Extension extension = extensionOf(task, drop_m, reach);
  const std::size_t count = drop_m.size();
  std::vector<double> pull(count, 0.0), excess(count, 0.0);
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < count; ++i) {
      excess[i] = std::max(0.0, extension.wanted[i] - pull[i] - extension.limit[i]);
    }
    if (*std::max_element(excess.begin(), excess.end()) < kSmallExcess) break;
    const auto more = raisedCosineMean(excess, framesIn(window_s, fps), is_cycle);
    for (std::size_t i = 0; i < count; ++i) pull[i] += more[i];
  }
  for (std::size_t i = 0; i < count; ++i) pull[i] *= task.length_m[i];
  return pull;
}

double sourcePeak(std::span<const LimbTask> tasks, double fps) {
  double peak = 0.0;
  std::size_t frame = 0;
  for (const LimbTask& task : tasks) {
    if (task.limb.is_leg) peak = std::max(peak, peakOf(task.source_middle_m, fps, frame));
  }
  return peak;
}

// The pulls of one leg from the least to the most.
class PullSearch {
 public:
  PullSearch(std::span<const double> drop_m, double fps, bool is_cycle, LimbTask& task)
      : drop_m_(drop_m), fps_(fps), is_cycle_(is_cycle), task_(task) {}

  void run(double limit_mps2) {
    best_ = task_.pull_m;
    best_mps2_ = peak();
    for (const ReachLimit& reach : kReachLimits) {
      for (const double window_s : kPullWindows_s) {
        if (!(best_mps2_ > limit_mps2)) break;
        attempt(reach, window_s);
      }
    }
    task_.pull_m = std::move(best_);
  }

 private:
  double peak() const {
    std::size_t frame = 0;
    return peakOf(kneesOf(task_, drop_m_), fps_, frame);
  }

  void attempt(const ReachLimit& reach, double window_s) {
    task_.pull_m = pullOf(task_, drop_m_, reach, window_s, fps_, is_cycle_);
    const double peak_mps2 = peak();
    if (!(peak_mps2 < (1.0 - kLeastGain) * best_mps2_)) return;
    best_ = task_.pull_m;
    best_mps2_ = peak_mps2;
  }

  std::span<const double> drop_m_;
  double fps_;
  bool is_cycle_;
  LimbTask& task_;
  std::vector<double> best_;
  double best_mps2_ = 0.0;
};

}  // namespace

std::optional<KneePeaks> kneePeaks(std::span<const LimbTask> tasks, std::span<const double> drop_m,
                                   double fps) {
  if (drop_m.size() < 2 * framesIn(kKneeStep_s, fps) + 1) return std::nullopt;
  KneePeaks peaks;
  peaks.source_mps2 = sourcePeak(tasks, fps);
  for (const LimbTask& task : tasks) {
    if (!task.limb.is_leg) continue;
    std::size_t frame = 0;
    const double peak = peakOf(kneesOf(task, drop_m), fps, frame);
    if (!peaks.result.leg || peak > peaks.result.acceleration_mps2) {
      peaks.result = {&task, frame, peak};
    }
  }
  if (!peaks.result.leg) return std::nullopt;
  return peaks;
}

void pullFeet(std::span<const double> drop_m, double fps, bool is_cycle,
              std::vector<LimbTask>& tasks) {
  for (LimbTask& task : tasks) task.pull_m.assign(drop_m.size(), 0.0);
  const double limit_mps2 = kRoom * kMaxKneeFactor * sourcePeak(tasks, fps);
  for (LimbTask& task : tasks) {
    if (task.limb.is_leg) PullSearch(drop_m, fps, is_cycle, task).run(limit_mps2);
  }
}

}  // namespace clipmill::locomotion
