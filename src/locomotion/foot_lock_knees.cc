// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_knees.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "anim/two_bone_ik.h"
#include "core/cancel.h"
#include "core/math.h"
#include "core/to_size.h"
#include "locomotion/frame_windows.h"

namespace clipmill::locomotion {
namespace {

// Step of accelerations.
constexpr double kKneeStep_s = 1.0 / 30.0;

// Half widths of the window under which a pull starts and ends.
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

// Windows are chosen somewhat below the limit, since knees are measured between frames too.
constexpr double kLimitShare = 0.97;

// Shares of the planned offsets that are tried where nothing else helps.
constexpr double kHeldShares[] = {0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6};

// A window that lowers the peak by less than this share is not worth it.
constexpr double kLeastGain = 0.02;

// A knee along a motion.
struct KneePath {
  std::vector<Vec3> positions_m;
  std::vector<double> angles_rad;
};

// The largest accelerations of a knee, and the frame of that of its position.
struct Peaks {
  double acceleration_mps2 = 0.0, rotation_radps2 = 0.0;
  std::size_t frame = 0;

  void include(const Peaks& other) {
    acceleration_mps2 = std::max(acceleration_mps2, other.acceleration_mps2);
    rotation_radps2 = std::max(rotation_radps2, other.rotation_radps2);
  }
  // The larger share of a limit.
  double shareOf(const Peaks& limits) const {
    const auto share = [](double value, double limit) { return limit > 0.0 ? value / limit : 0.0; };
    return std::max(share(acceleration_mps2, limits.acceleration_mps2),
                    share(rotation_radps2, limits.rotation_radps2));
  }
};

Peaks peaksOf(const KneePath& knee, double fps) {
  const std::size_t reach = framesIn(kKneeStep_s, fps);
  const double step_s = static_cast<double>(reach) / fps, square = step_s * step_s;
  Peaks peaks;
  for (std::size_t i = reach; i + reach < knee.positions_m.size(); ++i) {
    const auto second = [&](const auto& of) { return of[i + reach] - 2.0 * of[i] + of[i - reach]; };
    const double acceleration = lengthOf(second(knee.positions_m)) / square;
    const double rotation = std::abs(second(knee.angles_rad)) / square;
    peaks.rotation_radps2 = std::max(peaks.rotation_radps2, rotation);
    if (!(acceleration > peaks.acceleration_mps2)) continue;
    peaks.acceleration_mps2 = acceleration;
    peaks.frame = i;
  }
  return peaks;
}

void addKneeTo(KneePath& path, const Vec3& hip, const Vec3& knee, const Vec3& ankle) {
  path.positions_m.push_back(knee);
  path.angles_rad.push_back(angleBetween(hip - knee, ankle - knee));
}

Vec3 hipOf(const LimbTask& task, std::span<const double> drop_m, std::size_t i) {
  return task.hip_m[i] - Vec3(0.0, drop_m[i], 0.0);
}

KneePath kneeOf(const LimbTask& task, std::span<const double> drop_m) {
  KneePath path;
  for (std::size_t i = 0; i < drop_m.size(); ++i) {
    pollCancel();
    const Vec3 sunk(0.0, -drop_m[i], 0.0);
    const TwoBoneLimb leg{task.hip_m[i] + sunk, task.middle_m[i] + sunk,
                          task.ends.carried[i].translation + sunk,
                          task.upper_linear[i] * task.forward};
    if (task.movesAt(drop_m[i], i)) {
      const TwoBoneReach reach =
          reachWithTwoBones(leg, task.targetAt(i, leg.root), kSoftShare * task.length_m[i]);
      addKneeTo(path, leg.root, reach.middle, reach.end);
    } else {
      addKneeTo(path, leg.root, leg.middle, leg.end);
    }
  }
  return path;
}

// Distances from hip to target, and those that the leg should not exceed; shares of its length.
struct Extension {
  std::vector<double> wanted, limit;
};

Extension extensionOf(const LimbTask& task, std::span<const double> drop_m,
                      const ReachLimit& reach) {
  Extension extension;
  for (std::size_t i = 0; i < drop_m.size(); ++i) {
    pollCancel();
    const Vec3& carried = task.ends.carried[i].translation;
    const double own = lengthOf(carried - task.hip_m[i]) / task.length_m[i];
    const double wanted = lengthOf(task.plannedAt(i) - hipOf(task, drop_m, i)) / task.length_m[i];
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

Peaks sourcePeaks(std::span<const LimbTask> tasks, double fps) {
  Peaks peaks;
  for (const LimbTask& task : tasks) {
    if (!task.limb.is_leg) continue;
    KneePath path;
    for (std::size_t i = 0; i < task.source_middle_m.size(); ++i) {
      addKneeTo(path, task.source_hip_m[i], task.source_middle_m[i],
                task.ends.source[i].translation);
    }
    peaks.include(peaksOf(path, fps));
  }
  return peaks;
}

// Searches for the least change of one leg after which its knee keeps the limits: pulls, longer
// releases, and at last feet that are held in part.
class PullSearch {
 public:
  PullSearch(std::span<const double> drop_m, const Peaks& limits, double fps, bool is_cycle,
             LimbTask& task)
      : drop_m_(drop_m), limits_(limits), fps_(fps), is_cycle_(is_cycle), task_(task) {}

  void run() {
    best_ = {task_.plan, task_.pull_m, 1.0, peaks()};
    attemptPulls();
    if (isFound()) return;
    task_.plan = task_.gentler_plan;
    attemptPulls();
    task_.plan = best_.plan;
    const Candidate held_in_full = best_;
    for (std::size_t i = 0; i < std::size(kHeldShares) && !keepsAcceleration(); ++i) {
      task_.held_share = kHeldShares[i];
      attemptPulls();
    }
    if (!keepsAcceleration()) best_ = held_in_full;
    takeBest();
  }

 private:
  struct Candidate {
    LimbPlan plan;
    std::vector<double> pull_m;
    double held_share = 1.0;
    Peaks peaks;
  };

  bool isFound() const { return best_.peaks.shareOf(limits_) <= 1.0; }
  bool keepsAcceleration() const {
    return best_.peaks.acceleration_mps2 <= limits_.acceleration_mps2;
  }

  // From the least to the most, with the plan of the task. Ends with the best so far in it.
  void attemptPulls() {
    task_.pull_m.assign(drop_m_.size(), 0.0);
    keepIfBetter();
    for (const ReachLimit& reach : kReachLimits) {
      for (const double window_s : kPullWindows_s) {
        if (isFound()) return;
        task_.pull_m = pullOf(task_, drop_m_, reach, window_s, fps_, is_cycle_);
        keepIfBetter();
      }
    }
    takeBest();
  }

  Peaks peaks() const { return peaksOf(kneeOf(task_, drop_m_), fps_); }

  void keepIfBetter() {
    const Peaks found = peaks();
    if (!(found.shareOf(limits_) < (1.0 - kLeastGain) * best_.peaks.shareOf(limits_))) return;
    best_ = {task_.plan, task_.pull_m, task_.held_share, found};
  }

  void takeBest() {
    task_.plan = best_.plan;
    task_.pull_m = best_.pull_m;
    task_.held_share = best_.held_share;
  }

  std::span<const double> drop_m_;
  Peaks limits_;
  double fps_;
  bool is_cycle_;
  LimbTask& task_;
  Candidate best_;
};

}  // namespace

double sourceKneeAcceleration(std::span<const LimbTask> tasks, double fps) {
  return sourcePeaks(tasks, fps).acceleration_mps2;
}

std::optional<KneePeaks> kneePeaks(std::span<const LimbTask> tasks, std::span<const double> drop_m,
                                   double fps) {
  if (drop_m.size() < 2 * framesIn(kKneeStep_s, fps) + 1) return std::nullopt;
  KneePeaks peaks;
  peaks.source_mps2 = sourcePeaks(tasks, fps).acceleration_mps2;
  for (const LimbTask& task : tasks) {
    if (!task.limb.is_leg) continue;
    const Peaks found = peaksOf(kneeOf(task, drop_m), fps);
    if (!peaks.result.leg || found.acceleration_mps2 > peaks.result.acceleration_mps2) {
      peaks.result = {&task, found.frame, found.acceleration_mps2};
    }
  }
  if (!peaks.result.leg) return std::nullopt;
  return peaks;
}

void pullFeet(std::span<const double> drop_m, double fps, bool is_cycle,
              std::vector<LimbTask>& tasks) {
  for (LimbTask& task : tasks) task.pull_m.assign(drop_m.size(), 0.0);
  Peaks limits = sourcePeaks(tasks, fps);
  limits.acceleration_mps2 *= kLimitShare * kMaxKneeFactor;
  limits.rotation_radps2 *= kLimitShare * kMaxKneeFactor;
  for (LimbTask& task : tasks) {
    if (task.limb.is_leg) PullSearch(drop_m, limits, fps, is_cycle, task).run();
  }
}

}  // namespace clipmill::locomotion
