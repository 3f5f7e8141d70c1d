// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/foot_roll.h"

#include <cmath>
#include <vector>

#include "anim/pose.h"
#include "anim/two_bone_ik.h"
#include "core/math.h"
#include "core/smooth_step.h"
#include "core/to_size.h"
#include "retarget/rest_alignment.h"
#include "retarget/support_points.h"

namespace clipmill::retarget {
namespace {

using humanoid::HumanoidMap;
using humanoid::HumanoidRole;

// Of a leg: a sole lower than the first rolls on the ground, one above the second is in the air.
constexpr double kRolls = 0.02, kRollsNot = 0.2;
// Of their height at bind: hips lower than the first belong to a body that sits or lies, hips above
// the second to one on its feet.
constexpr double kSits = 0.5, kOnItsFeet = 0.75;
// A foot that is tilted by more than the first may point or kneel, from the second on it does.
constexpr double kRoll_deg = 30.0, kPoints_deg = 90.0;

HumanoidRole footRole(std::size_t sole) {
  return sole == kLeftSole ? HumanoidRole::kLeftFoot : HumanoidRole::kRightFoot;
}

// The height of ankles over their soles at bind, mean of both, in lengths of a leg; 0 without feet.
double ankleHeight(const Scene& scene, const HumanoidMap& map) {
  const RestPose bind(scene);
  const double leg_m = lengthOfLegs(map, bind.worlds);
  double sum_m = 0.0, feet = 0.0;
  for (const std::size_t s : kSoles) {
    const int foot = map[footRole(s)];
    if (foot < 0) continue;
    const auto side = s == kLeftSole ? locomotion::BodySide::kLeft : locomotion::BodySide::kRight;
    const double sole_m = SupportPoints::ofFoot(scene, map, side).lowest_m(bind.worlds);
    if (!std::isfinite(sole_m)) continue;
    sum_m += bind.positionOf(foot).y - sole_m;
    feet += 1.0;
  }
  return feet > 0.0 && leg_m > 0.0 ? sum_m / feet / leg_m : 0.0;
}

// The rotation that takes off a share of the tilt of a foot that was rotated so since bind.
Quat lessTilt(const Quat& since_bind, double share) {
  const Vec3 up = since_bind * kUp;
  const Vec3 axis = unitOrZero(glm::cross(kUp, up));
  if (axis == Vec3(0.0)) return kIdentityRotation;
  const double tilt_rad = angleBetween(kUp, up);
  const double points = smoothStep(kRoll_deg * kDegree, kPoints_deg * kDegree, tilt_rad);
  return rotationAbout(axis, -share * (1.0 - points) * tilt_rad);
}

}  // namespace

double footRollShare(const ClipOnCharacter& clip) {
  const double from = ankleHeight(clip.source, clip.source_map);
  const double to = ankleHeight(clip.target, clip.target_map);
  return from > 0.0 && to > from ? from / to : 1.0;
}

void limitFootRoll(const ClipOnCharacter& clip, const SupportHeights& heights, double ground_m,
                   Motion& result) {
  const double share = footRollShare(clip);
  if (!(share < 1.0)) return;
  const Scene& scene = clip.target;
  const RestPose bind(scene);
  std::vector<Affine> worlds;
  for (std::size_t f = 0; f < result.grid.frame_count; ++f) {
    const double hips = (heights.hips_m[f] - ground_m) / heights.standing_m;
    const double on_feet = smoothStep(kSits, kOnItsFeet, hips);
    computeWorlds(scene.skeleton, result.localsOf(f), scene.metric_from_file, worlds);
    for (const std::size_t s : kSoles) {
      const int foot = clip.target_map[footRole(s)];
      if (foot < 0) continue;
      const double height = (heights.heights_m[s][f] - ground_m) / heights.leg_m;
      const double rolls = on_feet * (1.0 - smoothStep(kRolls, kRollsNot, height));
      if (!(rolls > 0.0)) continue;
      const Quat since_bind =
          rotationOf(worlds[toSize(foot)]) * glm::conjugate(rotationOf(bind.worlds[toSize(foot)]));
      const int parent = scene.skeleton.nodes[toSize(foot)].parent;
      const Affine& above = parent < 0 ? scene.metric_from_file : worlds[toSize(parent)];
      Quat& rotation = result.frame(f).locals[toSize(foot)].rotation;
      rotation = rotatedInWorld(above, kIdentityRotation,
                                lessTilt(since_bind, rolls * (1.0 - share)), rotation);
      result.modified.set(foot, TrackPath::kRotation);
    }
  }
}

}  // namespace clipmill::retarget
