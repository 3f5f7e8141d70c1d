// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/sole_height.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "locomotion/foot_lock_move.h"
#include "locomotion/foot_lock_pelvis.h"
#include "locomotion/pose_cycle.h"
#include "locomotion/root_joint.h"
#include "retarget/graduation.h"
#include "retarget/support_heights.h"

namespace clipmill::retarget {
namespace {

using humanoid::HumanoidMap;
using humanoid::HumanoidRole;

// Shares of the height of hips, of the source. A part lower than the first bears in full, one above
// the second not at all.
constexpr double kBears = 0.02, kBearsNot = 0.08;
// A planted sole up to the first is on the ground, above the second it is where it is; so is one
// below the ground, which nothing is if that is level.
constexpr double kOnGround = 0.012, kOverGround = 0.03;
constexpr double kInGround = 0.07, kUnderGround = 0.14;

// Weight of a low foot that is not planted (it swings near to the ground), and of a trunk that
// bears.
constexpr double kSwingWeight = 0.02, kTrunkWeight = 50.0;
// Of two feet the one that has to rise more counts more, by a factor e for so much of a leg.
constexpr double kRiseScale = 0.025;
// A leg moves its foot by no more than the first share of its length, which is used up to the
// second.
constexpr double kMaxMove = 0.35, kReach = 0.98;
// Of a body that lies soles are moved in full up to the first share of a leg, and not above the
// second.
constexpr double kLittle = 0.1, kMuch = 0.25;

// Hips this high above the sole, as a share of their height at bind: the character lies, or is
// upright.
constexpr double kLies = 0.15, kUpright = 0.35;
// A trunk bears where it leans so much (cosine from up), or the hips are so low.
constexpr double kLeans = 0.5, kUprightTrunk = 0.8, kLow = 0.5, kHigh = 0.75;

// Time scales: of smoothing the rises of the hips and the moves of feet, and of straightness in
// flights.
constexpr double kSmoothHips_s = 1.0 / 16.0, kSmoothFeet_s = 1.0 / 90.0, kStraight_s = 0.1;
constexpr double kLeastWeight = 1e-4;
// A foot this near to where it should be stays.
constexpr double kThere_m = 1e-5;
// Of a cycle, what is solved along with it at both ends.
constexpr double kCycleReach_s = 1.0;

double smoothStep(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

// What is needed at every frame: how far each sole has to rise, and how much it bears.
struct SupportNeeds {
  std::array<std::vector<double>, 2> rises_m, bears, weights;  // [sole][frame]
  // How much each sole counts where the leg is too short: one in contact with the ground counts
  // in full, planted or not.
  std::array<std::vector<double>, 2> reaches;
  std::array<std::vector<double>, 2> under_m;  // how far soles are below level ground
  std::vector<double> trunk_bears, trunk_rises_m;
  std::vector<double> trunk_under_m;  // how far it is in level ground and that of the source is not
};

class NeedFinder {
 public:
  NeedFinder(const SupportHeights& from, double from_ground_m, const PlantedFeet& planted,
             const SupportHeights& to, double scale)
      : from_(from), from_ground_m_(from_ground_m), planted_(planted), to_(to), scale_(scale) {}

  SupportNeeds find() const {
    SupportNeeds needs;
    for (std::size_t f = 0; f < from_.frameCount(); ++f) {
      needs.trunk_bears.push_back(trunkBears(f));
      needs.trunk_rises_m.push_back(trunkRise(f));
      needs.trunk_under_m.push_back(trunkUnder(f));
      for (const std::size_t s : kSoles) addSole(s, f, needs);
    }
    return needs;
  }

 private:
  // Over the ground, as a share of the height of hips.
  double heightOf(std::size_t part, std::size_t f) const {
    return (from_.heights_m[part][f] - from_ground_m_) / from_.standing_m;
  }

  double wantedHeight(double height, bool is_planted) const {
    if (!planted_.is_flat) return height;
    if (height < 0.0) return height * smoothStep(kInGround, kUnderGround, -height);
    return is_planted ? height * smoothStep(kOnGround, kOverGround, height) : height;
  }

  double riseOf(std::size_t s, std::size_t f) const {
    const double wanted = wantedHeight(heightOf(s, f), planted_.frames[s][f]);
    return to_.ground_m() + scale_ * from_.standing_m * wanted - to_.heights_m[s][f];
  }

  double trunkBears(std::size_t f) const {
    if (!std::isfinite(from_.heights_m[kTrunkPart][f])) return 0.0;
    const double hips = (from_.hips_m[f] - from_ground_m_) / from_.standing_m;
    const double upright =
        smoothStep(kLeans, kUprightTrunk, from_.upright[f]) * smoothStep(kLow, kHigh, hips);
    const double low = 1.0 - smoothStep(kBears, kBearsNot, heightOf(kTrunkPart, f));
    return low * (1.0 - upright);
  }

  // What of a body is lowest stays out of the ground.
  double trunkRise(std::size_t f) const {
    const double height = heightOf(kBodyPart, f), now_m = to_.heights_m[kBodyPart][f];
    if (!std::isfinite(height) || !std::isfinite(now_m)) return 0.0;
    const double wanted_m = to_.ground_m() + scale_ * from_.standing_m * std::max(0.0, height);
    return std::clamp(wanted_m - now_m, -to_.leg_m, to_.leg_m);
  }

  double trunkUnder(std::size_t f) const {
    const double height = heightOf(kTrunkPart, f), now_m = to_.heights_m[kTrunkPart][f];
    if (!planted_.is_flat || !std::isfinite(height) || !std::isfinite(now_m)) return 0.0;
    const double lowest_m = to_.ground_m() + scale_ * from_.standing_m * std::min(0.0, height);
    return std::clamp(lowest_m - now_m, 0.0, to_.leg_m);
  }

  void addSole(std::size_t s, std::size_t f, SupportNeeds& needs) const {
    const double height = heightOf(s, f);
    const bool is_known = std::isfinite(height) && std::isfinite(to_.heights_m[s][f]);
    const double rise_m = is_known ? riseOf(s, f) : 0.0;
    double bears = is_known ? 1.0 - smoothStep(kBears, kBearsNot, height) : 0.0;
    if (!from_.has_skin && rise_m < 0.0) {
      // What else rests on the ground is not known.
      bears *=
          smoothStep(kLies, kUpright, (from_.hips_m[f] - from_.lowerSole_m(f)) / from_.standing_m);
    }
    const double max_m = kMaxMove * to_.leg_m;
    // Legs of a body that lies are not bent by much.
    const double trunk = needs.trunk_bears[f];
    const double beside_m = std::fabs(rise_m - trunk * needs.trunk_rises_m[f]);
    bears *= 1.0 - trunk * smoothStep(kLittle, kMuch, beside_m / to_.leg_m);
    // Hips rise as far as a foot in the ground needs that; no leg is stretched by as much.
    needs.rises_m[s].push_back(std::clamp(rise_m, -max_m, to_.leg_m));
    needs.bears[s].push_back(bears);
    const bool is_planted = planted_.frames[s][f];
    const double contact = is_planted ? 1.0 : 1.0 - smoothStep(0.5 * kOnGround, kOnGround, height);
    needs.weights[s].push_back(bears * (is_planted ? 1.0 : kSwingWeight));
    needs.reaches[s].push_back(bears * std::max(contact, kSwingWeight));
    const bool is_over = is_known && planted_.is_flat && height > -kInGround;
    needs.under_m[s].push_back(is_over ? to_.ground_m() - to_.heights_m[s][f] : -HUGE_VAL);
  }

  const SupportHeights& from_;
  double from_ground_m_;
  const PlantedFeet& planted_;
  const SupportHeights& to_;
  double scale_;
};

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
    for (std::size_t f = 0; f < rises.rises_m.size(); ++f) {
      double drop_m = 0.0;
      for (const locomotion::LimbTask& task : tasks_) {
        const std::size_t s = sideOf(task);
        const Vec3 foot_m = task.ends.carried[f].translation + Vec3(0, needs.rises_m[s][f], 0);
        const Vec3 hip_m = task.hip_m[f] + Vec3(0, rises.rises_m[f], 0);
        const double reach_m = std::max(lengthOf(task.ends.carried[f].translation - task.hip_m[f]),
                                        kReach * task.length_m[f]);
        const double needed_m = locomotion::dropToReach(hip_m, foot_m, reach_m);
        if (!std::isfinite(needed_m)) continue;
        const double share = needs.reaches[s][f] * (1.0 - needs.trunk_bears[f]);
        drop_m = std::max(drop_m, share * needed_m);
      }
      rises.rises_m[f] -= std::min(drop_m, kMaxMove * tasks_.front().length_m[f]);
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
        moves.rises_m.push_back(std::min(move_m, kMaxMove * task.length_m[f]));
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

  bool empty() const { return tasks_.empty(); }

 private:
  static std::size_t sideOf(const locomotion::LimbTask& task) {
    return task.limb.side == locomotion::BodySide::kLeft ? kLeftSole : kRightSole;
  }

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

}  // namespace

std::optional<SoleMatch> matchSoleHeights(const Scene& source, const HumanoidMap& source_map,
                                          const Motion& motion, const Scene& target,
                                          const HumanoidMap& target_map, double scale,
                                          Motion& result) {
  const auto from = supportHeights(source, source_map, motion);
  const auto to = supportHeights(target, target_map, result);
  if (!from || !to) return std::nullopt;
  const PlantedFeet planted = plantedFeet(source, source_map, motion);
  const double ground_m = walkedGround_m(*from, planted);
  const SupportNeeds needs = NeedFinder(*from, ground_m, planted, *to, scale).find();
  Rises rises = risesOfHips(needs, to->leg_m);
  const int hips = source_map[HumanoidRole::kHips];
  std::vector<int> feet{source_map[HumanoidRole::kLeftFoot], source_map[HumanoidRole::kRightFoot]};
  std::erase(feet, -1);
  const bool is_cycle =
      rises.rises_m.size() > 2 && locomotion::isNearlyCycle(source.skeleton, hips, feet, motion);
  Legs legs(target, target_map, result);
  if (!legs.empty()) legs.keepInReach(needs, rises);
  keepTrunkOut(needs, rises);
  if (!rises.counts()) return std::nullopt;
  const std::vector<double> curve_m =
      smoothed(std::move(rises), motion.grid.fps, kSmoothHips_s, is_cycle);
  SoleMatch match;
  for (const double rise_m : curve_m) {
    match.max_rise_m = std::max(match.max_rise_m, std::fabs(rise_m));
  }
  moveBody(target, target_map, curve_m, result);
  if (!legs.empty()) legs.moveFeet(needs, curve_m, is_cycle);
  return match;
}

}  // namespace clipmill::retarget
