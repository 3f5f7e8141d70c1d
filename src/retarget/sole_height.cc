// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/sole_height.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "core/smooth_step.h"
#include "core/to_size.h"
#include "locomotion/foot_lock_move.h"
#include "locomotion/foot_lock_pelvis.h"
#include "locomotion/frame_windows.h"
#include "locomotion/pose_cycle.h"
#include "locomotion/root_joint.h"
#include "retarget/foot_roll.h"
#include "retarget/graduation.h"
#include "retarget/support_heights.h"
#include "retarget/support_needs.h"

namespace clipmill::retarget {
namespace {

using humanoid::HumanoidMap;
using humanoid::HumanoidRole;

// Weight of a trunk that bears.
constexpr double kTrunkWeight = 50.0;
// Of two feet the one that has to rise more counts more, by a factor e for so much of a leg.
constexpr double kRiseScale = 0.025;
// The share of the length of a leg that is used.
constexpr double kReach = 0.98;
// Time scales: of smoothing the rises of the hips and the moves of feet, and of straightness in
// flights.
constexpr double kSmoothHips_s = 1.0 / 16.0, kSmoothFeet_s = 1.0 / 90.0, kStraight_s = 0.1;
// Half width of the window under which hips fall back to where legs reach, how often, and how much
// of a leg is left.
constexpr double kLower_s = 0.09;
constexpr int kLowerPasses = 12;
constexpr double kSmallDrop = 1e-3;
constexpr double kLeastWeight = 1e-4;
// Soles that are to settle drop the hips by no more than this share of a leg. They settle where
// they are off the ground by less than the first share of the height of hips, and not above the
// second.
constexpr double kMaxSettleDrop = 0.08, kSettles = 0.03, kSettlesNot = 0.06;
// This near to the ground, likewise, a sole is on it.
constexpr double kNearGround = 0.01;
// A foot this near to where it should be stays.
constexpr double kThere_m = 1e-5;
// Of a cycle, what is solved along with it at both ends.
constexpr double kCycleReach_s = 1.0;

// Whether a sole is planted on the ground.
bool isOnGround(const SupportNeeds& needs, std::size_t s, std::size_t f) {
  return needs.on_ground[s][f] > 0.5 && needs.weights[s][f] > 0.5;
}

// How far the hips have to rise at every frame, and how much that counts.
struct Rises {
  std::vector<double> rises_m, weights;

  bool counts() const {
    return std::any_of(weights.begin(), weights.end(), [](double w) { return w > kLeastWeight; });
  }
};

// The feet that bear are on the ground with legs as bent as they are; the other leg stretches.
Rises risesOfHips(const SupportNeeds& needs, double leg_m) {
  Rises rises;
  for (std::size_t f = 0; f < needs.bears[0].size(); ++f) {
    const double max_m = std::max(needs.rises_m[kLeftSole][f], needs.rises_m[kRightSole][f]);
    double weights = kTrunkWeight * needs.trunk_bears[f], bears = needs.trunk_bears[f];
    double sum_m = weights * needs.trunk_rises_m[f];
    for (const std::size_t s : kSoles) {
      const double rise_m = needs.rises_m[s][f];
      const double weight =
          needs.weights[s][f] * portable::exp((rise_m - max_m) / (kRiseScale * leg_m));
      sum_m += weight * rise_m;
      weights += weight;
      bears = std::max(bears, needs.bears[s][f]);
    }
    rises.rises_m.push_back(weights > 0.0 ? sum_m / weights : 0.0);
    rises.weights.push_back(weights > 0.0 ? bears : 0.0);
  }
  return rises;
}

// A trunk that is stouter than that of the source, on shorter legs, stays out of the ground.
void keepTrunkOut(const SupportNeeds& needs, Rises& rises) {
  for (std::size_t f = 0; f < rises.rises_m.size(); ++f) {
    if (needs.trunk_under_m[f] <= std::max(0.0, rises.rises_m[f])) continue;
    rises.rises_m[f] = needs.trunk_under_m[f];
    rises.weights[f] = 1.0;
  }
}

// Copies of the other end at both ends of a cycle; the number of frames before its start.
std::size_t extendCycle(double fps, Rises& rises) {
  const std::size_t period = rises.rises_m.size() - 1;
  const std::size_t more = std::min(period, toSize(std::ceil(kCycleReach_s * fps)));
  for (std::vector<double>* values : {&rises.rises_m, &rises.weights}) {
    std::vector<double> longer(values->end() - 1 - static_cast<std::ptrdiff_t>(more),
                               values->end() - 1);
    longer.insert(longer.end(), values->begin(), values->end());
    longer.insert(longer.end(), values->begin() + 1,
                  values->begin() + 1 + static_cast<std::ptrdiff_t>(more));
    *values = std::move(longer);
  }
  return more;
}

std::vector<double> smoothed(Rises rises, double fps, double smooth_s, bool is_cycle) {
  const std::size_t count = rises.rises_m.size();
  const std::size_t start = is_cycle ? extendCycle(fps, rises) : 0;
  const double smooth = smooth_s * fps, straight = kStraight_s * fps;
  const double stiffness = smooth * smooth * smooth * smooth;
  for (double& weight : rises.weights) weight = std::max(weight, kLeastWeight * kLeastWeight);
  const std::vector<double> curve =
      graduated(rises.rises_m, rises.weights, stiffness, stiffness / (straight * straight));
  const auto first = curve.begin() + static_cast<std::ptrdiff_t>(start);
  std::vector<double> result(first, first + static_cast<std::ptrdiff_t>(count));
  if (is_cycle) result.back() = result.front();
  return result;
}

// The legs of the target, and how far the end of each is moved.
class Legs {
 public:
  Legs(const Scene& scene, const HumanoidMap& map, Motion& motion)
      : scene_(scene), hips_(map[HumanoidRole::kHips]), motion_(motion) {
    for (locomotion::Limb& limb : locomotion::limbsOf(scene.skeleton, map, false)) {
      if (!isAtOrBelow(scene.skeleton, limb.upper, hips_)) continue;
      tasks_.emplace_back();
      tasks_.back().limb = std::move(limb);
    }
  }

  // Lowers `rises` where a leg is too short for its foot.
  void keepInReach(const SupportNeeds& needs, Rises& rises) {
    follow();
    const std::vector<double> drops_m = dropsFor(needs, rises.rises_m);
    for (std::size_t f = 0; f < drops_m.size(); ++f) rises.rises_m[f] -= drops_m[f];
  }

  // Smoothing may lift hips next to a frame in which a leg is straight: `rises_m` falls back to
  // where it reaches, under a raised cosine, but no trunk into the ground.
  void lowerToReach(const SupportNeeds& needs, bool is_cycle, std::vector<double>& rises_m) const {
    const std::size_t radius = locomotion::framesIn(kLower_s, motion_.grid.fps);
    for (int pass = 0; pass < kLowerPasses; ++pass) {
      std::vector<double> drops_m = dropsFor(needs, rises_m);
      for (std::size_t f = 0; f < rises_m.size(); ++f) {
        const double under_m = needs.trunk_under_m[f];
        if (under_m > 0.0) drops_m[f] = std::clamp(rises_m[f] - under_m, 0.0, drops_m[f]);
      }
      const double max_m = *std::max_element(drops_m.begin(), drops_m.end());
      if (max_m < kSmallDrop * tasks_.front().length_m.front()) break;
      drops_m = locomotion::raisedCosineMean(drops_m, radius, is_cycle);
      for (std::size_t f = 0; f < rises_m.size(); ++f) rises_m[f] -= drops_m[f];
    }
  }

  // Moves feet up or down to where they are needed, after the hips rose by `rises_m`.
  void moveFeet(const SupportNeeds& needs, std::span<const double> rises_m, bool is_cycle) {
    follow();
    for (locomotion::LimbTask& task : tasks_) {
      const std::size_t s = sideOf(task);
      Rises moves;
      for (std::size_t f = 0; f < rises_m.size(); ++f) {
        const double bears = needs.bears[s][f];
        const double under_m = std::max(0.0, needs.under_m[s][f] - rises_m[f]);
        const double move_m = bears * (needs.rises_m[s][f] - rises_m[f]) + (1.0 - bears) * under_m;
        moves.rises_m.push_back(std::min(move_m, kMaxFootMove * task.length_m[f]));
        moves.weights.push_back(1.0);
      }
      task.plan.yaw_rad.assign(rises_m.size(), 0.0);
      for (const double move_m :
           smoothed(std::move(moves), motion_.grid.fps, kSmoothFeet_s, is_cycle)) {
        const bool is_there = std::fabs(move_m) < kThere_m;
        task.plan.offset_m.emplace_back(0.0, is_there ? 0.0 : move_m, 0.0);
      }
    }
    locomotion::moveLimbs(scene_, hips_, std::vector<double>(rises_m.size(), 0.0), tasks_, motion_);
  }

  // How far the feet that settle are from where they should be, after moveFeet().
  double shortOfGround_m(const SupportNeeds& needs) const {
    double max_m = 0.0;
    for (const locomotion::LimbTask& task : tasks_) {
      for (std::size_t f = 0; f < task.short_m.size(); ++f) {
        if (isOnGround(needs, sideOf(task), f)) max_m = std::max(max_m, task.short_m[f]);
      }
    }
    return max_m;
  }

  bool empty() const { return tasks_.empty(); }

  // Records the legs as the motion has them.
  void follow() {
    for (locomotion::LimbTask& task : tasks_) {
      locomotion::LimbTask fresh;
      fresh.limb = std::move(task.limb);
      task = std::move(fresh);
    }
    std::vector<Affine> worlds;
    for (std::size_t f = 0; f < motion_.grid.frame_count; ++f) {
      computeWorlds(scene_.skeleton, motion_.localsOf(f), scene_.metric_from_file, worlds);
      for (locomotion::LimbTask& task : tasks_) locomotion::noteFrame(worlds, worlds, task);
    }
  }

 private:
  static std::size_t sideOf(const locomotion::LimbTask& task) {
    return task.limb.side == locomotion::BodySide::kLeft ? kLeftSole : kRightSole;
  }

  // How much lower than with `rises_m` the hips have to be where a leg is too short for its foot.
  std::vector<double> dropsFor(const SupportNeeds& needs, std::span<const double> rises_m) const {
    std::vector<double> drops_m;
    for (std::size_t f = 0; f < rises_m.size(); ++f) {
      double drop_m = 0.0;
      for (const locomotion::LimbTask& task : tasks_) {
        const std::size_t s = sideOf(task);
        const Vec3 foot_m = task.ends.carried[f].translation + Vec3(0, needs.rises_m[s][f], 0);
        const Vec3 hip_m = task.hip_m[f] + Vec3(0, rises_m[f], 0);
        const double reach_m = std::max(lengthOf(task.ends.carried[f].translation - task.hip_m[f]),
                                        kReach * task.length_m[f]);
        const double needed_m = locomotion::dropToReach(hip_m, foot_m, reach_m);
        if (!std::isfinite(needed_m)) continue;
        const double share = needs.reaches[s][f] * (1.0 - needs.trunk_bears[f]);
        drop_m = std::max(drop_m, share * needed_m);
      }
      drops_m.push_back(std::min(drop_m, kMaxFootMove * tasks_.front().length_m[f]));
    }
    return drops_m;
  }

  const Scene& scene_;
  int hips_;
  Motion& motion_;
  std::vector<locomotion::LimbTask> tasks_;
};

void moveBody(const Scene& target, const HumanoidMap& map, std::span<const double> rises_m,
              Motion& result) {
  const int hips = map[HumanoidRole::kHips];
  std::vector<int> nodes = locomotion::findDetachedJoints(target, map, hips, {});
  nodes.push_back(hips);
  std::vector<locomotion::RootMove> moves;
  for (const double rise_m : rises_m) moves.push_back({Vec3(0.0), Vec3(0.0, rise_m, 0.0), 0.0});
  Warnings ignored;  // of rotations: there are none
  locomotion::writeMoves(target, nodes, moves, result, ignored);
}

// The soles of a clip and of its copy on another character.
struct Soles {
  SupportNeeds needs;
  double leg_m = 0.0, standing_m = 0.0;  // of the other character
  bool is_cycle = false;
};

// A clip over the ground that its character walks on.
struct ClipHeights {
  SupportHeights heights;
  PlantedFeet planted;
  double ground_m = 0.0;
};

std::optional<ClipHeights> heightsOfClip(const ClipOnCharacter& clip) {
  auto heights = supportHeights(clip.source, clip.source_map, clip.motion);
  if (!heights) return std::nullopt;
  PlantedFeet planted = plantedFeet(clip.source, clip.source_map, clip.motion);
  const double ground_m = walkedGround_m(*heights, planted);
  return ClipHeights{std::move(*heights), std::move(planted), ground_m};
}

std::optional<Soles> findSoles(const ClipOnCharacter& clip, const ClipHeights& from,
                               const Motion& result) {
  const auto to = supportHeights(clip.target, clip.target_map, result);
  if (!to) return std::nullopt;
  std::vector<int> feet{clip.source_map[HumanoidRole::kLeftFoot],
                        clip.source_map[HumanoidRole::kRightFoot]};
  std::erase(feet, -1);
  const int hips = clip.source_map[HumanoidRole::kHips];
  return Soles{findSupportNeeds(from.heights, from.ground_m, from.planted, *to, clip.scale),
               to->leg_m, to->standing_m,
               result.grid.frame_count > 2 &&
                   locomotion::isNearlyCycle(clip.source.skeleton, hips, feet, clip.motion)};
}

// Leaves of `needs` those of soles that are on the ground in the clip, and near to it. Returns how
// far from it the others are.
double keepToGround(double standing_m, SupportNeeds& needs) {
  double off_m = 0.0;
  for (const std::size_t s : kSoles) {
    for (std::size_t f = 0; f < needs.rises_m[s].size(); ++f) {
      const double rise_m = std::fabs(needs.rises_m[s][f]), on_ground = needs.on_ground[s][f];
      const double share = 1.0 - smoothStep(kSettles, kSettlesNot, rise_m / standing_m);
      if (isOnGround(needs, s, f)) off_m = std::max(off_m, (1.0 - share) * rise_m);
      needs.rises_m[s][f] *= on_ground * share;
      needs.reaches[s][f] *= on_ground * share;
    }
  }
  return off_m;
}

}  // namespace

std::optional<SoleMatch> matchSoleHeights(const ClipOnCharacter& clip, Motion& result) {
  const auto from = heightsOfClip(clip);
  if (!from) return std::nullopt;
  if (from->planted.is_flat) limitFootRoll(clip, from->heights, from->ground_m, result);
  const auto soles = findSoles(clip, *from, result);
  if (!soles) return std::nullopt;
  Rises rises = risesOfHips(soles->needs, soles->leg_m);
  Legs legs(clip.target, clip.target_map, result);
  if (!legs.empty()) legs.keepInReach(soles->needs, rises);
  keepTrunkOut(soles->needs, rises);
  if (!rises.counts()) return std::nullopt;
  std::vector<double> curve_m =
      smoothed(std::move(rises), clip.motion.grid.fps, kSmoothHips_s, soles->is_cycle);
  if (!legs.empty()) legs.lowerToReach(soles->needs, soles->is_cycle, curve_m);
  SoleMatch match;
  for (const double rise_m : curve_m) {
    match.max_rise_m = std::max(match.max_rise_m, std::fabs(rise_m));
  }
  moveBody(clip.target, clip.target_map, curve_m, result);
  if (!legs.empty()) legs.moveFeet(soles->needs, curve_m, soles->is_cycle);
  return match;
}

double settleSoles(const ClipOnCharacter& clip, Motion& result) {
  const auto from = heightsOfClip(clip);
  auto soles = from ? findSoles(clip, *from, result) : std::nullopt;
  Legs legs(clip.target, clip.target_map, result);
  if (!soles || legs.empty()) return 0.0;
  SupportNeeds& needs = soles->needs;
  double off_m = keepToGround(soles->standing_m, needs);
  std::vector<double> curve_m(result.grid.frame_count, 0.0);
  legs.follow();
  legs.lowerToReach(needs, soles->is_cycle, curve_m);
  for (std::size_t f = 0; f < curve_m.size(); ++f) {
    const double max_m = std::min(kMaxSettleDrop * soles->leg_m, needs.trunk_clear_m[f]);
    curve_m[f] = std::max(curve_m[f], -max_m);
  }
  moveBody(clip.target, clip.target_map, curve_m, result);
  legs.moveFeet(needs, curve_m, soles->is_cycle);
  off_m = std::max(off_m, legs.shortOfGround_m(needs));
  return off_m < kNearGround * soles->standing_m ? 0.0 : off_m;
}

}  // namespace clipmill::retarget
