// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "measure/clip_measures.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "core/units.h"
#include "locomotion/foot_skate.h"
#include "scene/point_paths.h"

namespace clipmill::measure {
namespace {

// Accelerations are taken over this step, whatever the frame rate: a corner between two keys counts
// for as much as it does at 30 frames a second.
constexpr double kAccelerationStep_s = 1.0 / 30.0;

// Feet this high above their level are in the air, if all are for so long.
constexpr double kOffGround_m = 0.025, kShortestFlight_s = 0.15;

// A root that ends this far away, over the character's height, or rotated by so much, has gone
// somewhere.
constexpr double kGoneHeights = 0.1, kGoneRotation_rad = 15.0 * kDegree;

// Speeds below this are none: a clip that does not move has no seam of speed.
constexpr double kNoSpeed_mps = 0.01;

// The larger of two; NaN is larger than all.
double worst(double value, double so_far) {
  return value > so_far || std::isnan(value) ? value : so_far;
}

using Worlds = std::vector<Affine>;

Worlds worldsAt(const Scene& scene, const Motion& motion, std::size_t frame) {
  Worlds worlds;
  computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
  return worlds;
}

// Largest second difference of `points` and of the angle at the second of three of them, over
// `reach` samples.
void addKnee(const PointPaths& paths, std::size_t hip, std::size_t reach, KneeMeasures& knees) {
  const double step_s = static_cast<double>(reach) * paths.step_s;
  const auto angle = [&](std::size_t i) {
    const Vec3& knee = paths.positions_m[hip + 1][i];
    return angleBetween(paths.positions_m[hip][i] - knee, paths.positions_m[hip + 2][i] - knee);
  };
  const auto& knee = paths.positions_m[hip + 1];
  for (std::size_t i = reach; i + reach < paths.sample_count; ++i) {
    const Vec3 bend = knee[i + reach] - 2.0 * knee[i] + knee[i - reach];
    const double rotation = angle(i + reach) - 2.0 * angle(i) + angle(i - reach);
    knees.acceleration_mps2 = worst(lengthOf(bend) / (step_s * step_s), knees.acceleration_mps2);
    knees.rotation_acceleration_degps2 =
        worst(std::abs(rotation) / kDegree / (step_s * step_s), knees.rotation_acceleration_degps2);
  }
}

// The map that takes the end of the root motion back to its start; identity where it went nowhere.
Affine startFromEnd(const Affine& start, const Affine& end, double height_m) {
  const Quat rotation = rotationOf(start) * glm::conjugate(rotationOf(end));
  const Quat about_y = swingTwist(rotation, Vec3(0, 1, 0)).twist;
  const bool rotated = angleBetween(about_y, kIdentityRotation) > kGoneRotation_rad;
  const Vec3 offset = end.translation - start.translation;
  const bool gone = std::sqrt(offset.x * offset.x + offset.z * offset.z) > kGoneHeights * height_m;
  if (!rotated && !gone) return {};
  Affine map;
  if (rotated) map.linear = glm::mat3_cast(about_y);
  const Vec3 shift = start.translation - map.linear * end.translation;
  map.translation = Vec3(shift.x, 0.0, shift.z);
  return map;
}

double largestSpeed(const Scene& scene, const Motion& motion) {
  double largest = 0.0;
  Worlds before = worldsAt(scene, motion, 0);
  for (std::size_t i = 1; i < motion.grid.frame_count; ++i) {
    Worlds now = worldsAt(scene, motion, i);
    const double step_s = motion.grid.timeOf(i) - motion.grid.timeOf(i - 1);
    for (std::size_t n = 0; n < now.size(); ++n) {
      largest = worst(lengthOf(now[n].translation - before[n].translation) / step_s, largest);
    }
    before = std::move(now);
  }
  return largest;
}

}  // namespace

std::optional<KneeMeasures> measureKnees(const Scene& scene, const humanoid::HumanoidMap& map,
                                         const Motion& motion) {
  using Role = humanoid::HumanoidRole;
  const Role legs[][3] = {{Role::kLeftUpperLeg, Role::kLeftLowerLeg, Role::kLeftFoot},
                          {Role::kRightUpperLeg, Role::kRightLowerLeg, Role::kRightFoot}};
  std::vector<NodePoint> points;
  for (const auto& leg : legs) {
    if (map[leg[0]] < 0 || map[leg[1]] < 0 || map[leg[2]] < 0) continue;
    for (const Role role : leg) points.push_back({map[role], Vec3(0.0)});
  }
  const PointPaths paths = samplePoints(scene, motion, points);
  if (points.empty() || !(paths.step_s > 0.0)) return std::nullopt;
  const auto reach = toSize(std::max(1.0, std::round(kAccelerationStep_s / paths.step_s)));
  if (2 * reach >= paths.sample_count) return std::nullopt;
  KneeMeasures knees;
  for (std::size_t hip = 0; hip < points.size(); hip += 3) addKnee(paths, hip, reach, knees);
  return knees;
}

std::optional<locomotion::TimeSpan> longestFlight(const locomotion::FeetTrace& feet) {
  const double off_ground_m = kOffGround_m * feet.leg_m / locomotion::kReferenceLeg_m;
  const auto is_off = [&](std::size_t i) {
    return std::all_of(feet.feet.begin(), feet.feet.end(), [&](const locomotion::FootTrace& foot) {
      return foot.heel_on_ground_m[i].y - foot.heel_level_m > off_ground_m &&
             foot.ball_on_ground_m[i].y - foot.ball_level_m > off_ground_m;
    });
  };
  if (feet.feet.size() < 2) return std::nullopt;
  std::optional<locomotion::TimeSpan> longest;
  locomotion::TimeSpan span;
  bool was_off = false;
  for (std::size_t i = 0; i < feet.sample_count; ++i) {
    const bool off = is_off(i);
    if (off && !was_off) span.start_s = feet.timeOf(i);
    if (off) span.end_s = feet.timeOf(i);
    was_off = off;
    if (off && span.length() >= kShortestFlight_s &&
        (!longest || span.length() > longest->length())) {
      longest = span;
    }
  }
  return longest;
}

std::optional<LoopSeam> measureSeam(const Scene& scene, const Motion& motion, int root,
                                    double height_m) {
  const std::size_t count = motion.grid.frame_count;
  if (count < 3) return std::nullopt;
  const Worlds first = worldsAt(scene, motion, 0), second = worldsAt(scene, motion, 1);
  const Worlds last = worldsAt(scene, motion, count - 1),
               before = worldsAt(scene, motion, count - 2);
  Affine back;
  if (root >= 0) {
    const auto r = toSize(root);
    back = startFromEnd(first[r], last[r], height_m);
  }
  const double step_s = motion.grid.timeOf(1) - motion.grid.timeOf(0);
  const double last_step_s = motion.grid.timeOf(count - 1) - motion.grid.timeOf(count - 2);
  LoopSeam seam;
  double change_mps = 0.0;
  for (std::size_t n = 0; n < first.size(); ++n) {
    // What is not below the root does not go on with it.
    const bool goes_on = root >= 0 && isAtOrBelow(scene.skeleton, static_cast<int>(n), root);
    const Affine end = goes_on ? back * last[n] : last[n];
    seam.distance_mm = worst(lengthOf(end.translation - first[n].translation) * kMillimetresInMetre,
                             seam.distance_mm);
    seam.rotation_deg =
        worst(angleBetween(rotationOf(end), rotationOf(first[n])) / kDegree, seam.rotation_deg);
    const Vec3 velocity = (second[n].translation - first[n].translation) / step_s;
    const Vec3 offset = last[n].translation - before[n].translation;
    const Vec3 end_velocity = (goes_on ? back.linear * offset : offset) / last_step_s;
    change_mps = worst(lengthOf(end_velocity - velocity), change_mps);
  }
  const double fastest_mps = largestSpeed(scene, motion);
  if (!(fastest_mps <= kNoSpeed_mps)) seam.speed_percent = 100.0 * change_mps / fastest_mps;
  return seam;
}

std::size_t countNonFinite(const Scene& scene, const Motion& motion) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    for (const Affine& world : worldsAt(scene, motion, i)) {
      const bool is_finite = isFinite(world.translation) && isFinite(world.linear[0]) &&
                             isFinite(world.linear[1]) && isFinite(world.linear[2]);
      if (!is_finite) ++count;
    }
  }
  return count;
}

}  // namespace clipmill::measure
