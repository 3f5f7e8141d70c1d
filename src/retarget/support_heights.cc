// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/support_heights.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/to_size.h"
#include "locomotion/foot_contacts.h"
#include "retarget/rest_alignment.h"
#include "retarget/support_points.h"

namespace clipmill::retarget {
namespace {

using humanoid::HumanoidMap;
using humanoid::HumanoidRole;

// Shares of the height of hips. Soles that are bound this near to height 0 are bound on it. A clip
// is on the ground of its character up to the second, and on another one up to the third.
constexpr double kNearZero = 0.03, kSameGround = 0.03, kOtherGround = 0.06;
// From the lowest twentieth of its heights: where a sole is planted if no contact was found.
constexpr double kNearLevel = 0.05;
// Hips this high above the soles, as a share of their height at bind, and so upright (cosine): the
// character is on its feet.
constexpr double kOnFeet = 0.5;

// Heights on which soles are planted.
struct PlantedLevels {
  double low_m, middle_m, high_m;  // without the lowest tenth, and the highest
};

PlantedLevels levelsOf(std::vector<double> planted_m) {
  std::sort(planted_m.begin(), planted_m.end());
  const std::size_t last = planted_m.size() - 1;
  return {planted_m[last / 10], planted_m[planted_m.size() / 2], planted_m[last - last / 10]};
}

PlantedLevels plantedLevelsOf(const SupportHeights& heights, const PlantedFeet& planted,
                              const std::vector<std::size_t>& frames) {
  std::vector<double> planted_m;
  std::vector<Vec3> lowest_m;
  for (const std::size_t f : frames) {
    lowest_m.emplace_back(0.0, heights.lowerSole_m(f), 0.0);
    for (const std::size_t s : kSoles) {
      if (planted.frames[s][f]) planted_m.push_back(heights.heights_m[s][f]);
    }
  }
  if (!planted_m.empty()) return levelsOf(std::move(planted_m));
  const double level_m = locomotion::levelOf(lowest_m);
  for (const Vec3& at : lowest_m) {
    if (std::fabs(at.y - level_m) <= kNearLevel * heights.standing_m) planted_m.push_back(at.y);
  }
  if (planted_m.empty()) return {level_m, level_m, level_m};
  return levelsOf(std::move(planted_m));
}

// Of the frames in which the character is on its feet, if there are any: heels of a body that sits
// or lies may rest in the ground.
PlantedLevels plantedLevels(const SupportHeights& heights, const PlantedFeet& planted) {
  std::vector<std::size_t> all, on_feet;
  for (std::size_t f = 0; f < heights.frameCount(); ++f) {
    all.push_back(f);
    const double over_sole_m = heights.hips_m[f] - heights.lowerSole_m(f);
    const bool is_high = over_sole_m >= kOnFeet * heights.standing_m;
    if (is_high && heights.upright[f] >= kOnFeet) on_feet.push_back(f);
  }
  return plantedLevelsOf(heights, planted, on_feet.empty() ? all : on_feet);
}

double uprightness(const HumanoidMap& map, const std::vector<Affine>& worlds) {
  const int hips = map[HumanoidRole::kHips], head = map[HumanoidRole::kHead];
  if (head < 0) return 1.0;
  const Vec3 trunk = worlds[toSize(head)].translation - worlds[toSize(hips)].translation;
  const double length = lengthOf(trunk);
  return length > 0.0 ? trunk.y / length : 1.0;
}

}  // namespace

double SupportHeights::lowerSole_m(std::size_t frame) const {
  return std::min(heights_m[kLeftSole][frame], heights_m[kRightSole][frame]);
}

double SupportHeights::ground_m() const {
  return std::fabs(bound_m) <= kNearZero * standing_m ? 0.0 : bound_m;
}

std::optional<SupportHeights> supportHeights(const Scene& scene, const HumanoidMap& map,
                                             const Motion& motion) {
  const std::array<SupportPoints, 4> parts{
      SupportPoints::ofFoot(scene, map, locomotion::BodySide::kLeft),
      SupportPoints::ofFoot(scene, map, locomotion::BodySide::kRight),
      SupportPoints::ofTrunk(scene, map), SupportPoints::ofBody(scene, map)};
  const int hips = map[HumanoidRole::kHips];
  const RestPose bind(scene);
  SupportHeights heights;
  heights.leg_m = lengthOfLegs(map, bind.worlds);
  if (hips < 0 || !(heights.leg_m > 0.0)) return std::nullopt;
  heights.has_skin = parts[kLeftSole].hasSkin() || parts[kRightSole].hasSkin();
  heights.bound_m = std::min(parts[0].lowest_m(bind.worlds), parts[1].lowest_m(bind.worlds));
  heights.standing_m = bind.positionOf(hips).y - heights.bound_m;
  if (!std::isfinite(heights.bound_m) || !(heights.standing_m > 0.0)) return std::nullopt;
  std::vector<Affine> worlds;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    computeWorlds(scene.skeleton, motion.localsOf(f), scene.metric_from_file, worlds);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      heights.heights_m[p].push_back(parts[p].lowest_m(worlds));
    }
    heights.hips_m.push_back(worlds[toSize(hips)].translation.y);
    heights.upright.push_back(uprightness(map, worlds));
  }
  return heights;
}

PlantedFeet plantedFeet(const Scene& scene, const HumanoidMap& map, const Motion& motion) {
  PlantedFeet planted;
  for (std::vector<bool>& frames : planted.frames) frames.assign(motion.grid.frame_count, false);
  locomotion::ContactLimits limits;
  limits.may_skate = true;
  const locomotion::FeetTrace trace = locomotion::traceFeet(scene, map, motion, limits);
  planted.is_flat = trace.slope == Vec3(0.0);
  for (const locomotion::FootTrace& foot : trace.feet) {
    const bool is_left = foot.marks.side == locomotion::BodySide::kLeft;
    std::vector<bool>& frames = planted.frames[is_left ? kLeftSole : kRightSole];
    for (const auto& span : locomotion::unionOf(foot.heel_on, foot.ball_on, 0.0)) {
      for (std::size_t f = 0; f < frames.size(); ++f) {
        if (span.holds(motion.grid.timeOf(f))) frames[f] = true;
      }
    }
  }
  return planted;
}

double walkedGround_m(const SupportHeights& heights, const PlantedFeet& planted) {
  const PlantedLevels levels = plantedLevels(heights, planted);
  if (!heights.has_skin) return levels.middle_m;
  const double bound_m = heights.ground_m();
  const double nearest_m = std::clamp(bound_m, levels.low_m, levels.high_m);
  if (std::fabs(nearest_m - bound_m) <= kSameGround * heights.standing_m) return bound_m;
  const double level_m = levels.middle_m;
  if (std::fabs(level_m - bound_m) <= kOtherGround * heights.standing_m) return level_m;
  return std::fabs(level_m) <= kNearZero * heights.standing_m ? level_m : bound_m;
}

}  // namespace clipmill::retarget
