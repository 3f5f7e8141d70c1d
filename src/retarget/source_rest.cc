// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/source_rest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "core/text.h"
#include "core/to_size.h"
#include "retarget/skeleton_identity.h"

namespace clipmill::retarget {
namespace {

using Role = humanoid::HumanoidRole;

constexpr double kMaxTrunkTilt_rad = 20.0 * kDegree, kMaxLegTilt_rad = 30.0 * kDegree,
                 kMaxElbow_rad = 35.0 * kDegree, kMaxAsymmetry_rad = 25.0 * kDegree;
constexpr double kNoBone_m = 1e-6;
constexpr double kQuarter_rad = 90.0 * kDegree;

double angleOf(const Vec3& a, const Vec3& b) {
  return portable::atan2(lengthOf(glm::cross(a, b)), glm::dot(a, b));
}

// The bones of a pose between the joints of roles.
class Bones {
 public:
  Bones(const humanoid::HumanoidMap& map, std::span<const Affine> worlds)
      : map_(map), worlds_(worlds) {}

  std::optional<Vec3> between(Role from, Role to) const {
    if (map_[from] < 0 || map_[to] < 0) return std::nullopt;
    const Vec3 bone =
        worlds_[toSize(map_[to])].translation - worlds_[toSize(map_[from])].translation;
    if (!isFinite(bone) || lengthOf(bone) < kNoBone_m) return std::nullopt;
    return bone;
  }

  std::optional<Vec3> trunk() const {
    for (const Role top : {Role::kHead, Role::kNeck, Role::kUpperChest, Role::kChest}) {
      if (const auto bone = between(Role::kHips, top)) return bone;
    }
    return std::nullopt;
  }

  // From the right side to the left, level.
  Vec3 lateral() const {
    Vec3 left(0.0);
    if (const auto legs = between(Role::kRightUpperLeg, Role::kLeftUpperLeg)) left += *legs;
    if (const auto arms = between(Role::kRightUpperArm, Role::kLeftUpperArm)) left += *arms;
    return {left.x, 0.0, left.z};
  }

 private:
  const humanoid::HumanoidMap& map_;
  std::span<const Affine> worlds_;
};

double asymmetry_rad(const Bones& bones) {
  const auto left = bones.between(Role::kLeftUpperArm, Role::kLeftLowerArm),
             right = bones.between(Role::kRightUpperArm, Role::kRightLowerArm);
  const Vec3 lateral = bones.lateral();
  if (!left || !right || lengthOf(lateral) < kNoBone_m) return 0.0;
  const Vec3 side = lateral / lengthOf(lateral);
  return angleOf(*left - 2.0 * glm::dot(*left, side) * side, *right);
}

// The yaw that leads the pose's own left to the nearest axis.
Quat toNearestAxis(const Vec3& lateral) {
  if (lengthOf(lateral) < kNoBone_m) return kIdentityRotation;
  const double yaw_rad = portable::atan2(-lateral.z, lateral.x);
  return rotationAbout(kUp, std::round(yaw_rad / kQuarter_rad) * kQuarter_rad - yaw_rad);
}

// The pose moved as a whole.
void moveTo(RestPose& rest, const Quat& rotation, const Vec3& from, const Vec3& to) {
  const Mat3 linear = glm::mat3_cast(rotation);
  for (Affine& world : rest.worlds) {
    world.translation = linear * (world.translation - from) + to;
    world.linear = linear * world.linear;
  }
  for (Mat3& axes : rest.axes) axes = linear * axes;
}

double lowestFoot(const humanoid::HumanoidMap& map, std::span<const Affine> worlds) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
    if (map[role] >= 0) lowest = std::min(lowest, worlds[toSize(map[role])].translation.y);
  }
  return std::isfinite(lowest) ? lowest : 0.0;
}

// A frame of motion, rotated to the nearest axis, above the origin, with its feet on the floor.
void moveToOrigin(RestPose& rest, const humanoid::HumanoidMap& map, double floor_m) {
  const int hips = map[Role::kHips];
  if (hips < 0) return;
  const Vec3 from = rest.positionOf(hips);
  const double above_floor_m = from.y - lowestFoot(map, rest.worlds);
  moveTo(rest, toNearestAxis(Bones(map, rest.worlds).lateral()), from,
         Vec3(0.0, floor_m + above_floor_m, 0.0));
}

struct FoundFrame {
  std::size_t frame = 0;
  double doubt = std::numeric_limits<double>::infinity();
  double floor_m = std::numeric_limits<double>::infinity();  // the lowest foot of the clip
};

FoundFrame mostPlausible(const Scene& source, const Motion& motion,
                         const humanoid::HumanoidMap& map) {
  FoundFrame found;
  std::vector<Affine> worlds;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    computeWorlds(source.skeleton, motion.localsOf(f), source.metric_from_file, worlds);
    const double doubt = restPoseDoubt(map, worlds);
    found.floor_m = std::min(found.floor_m, lowestFoot(map, worlds));
    if (!(doubt < found.doubt)) continue;
    found.doubt = doubt;
    found.frame = f;
  }
  return found;
}

RestPose givenRest(const Scene& source, const Motion& motion, const humanoid::HumanoidMap& map,
                   const RestChoice& choice) {
  RestPose rest(source, choice.locals);
  rest.origin = "given pose";
  if (choice.is_frame) moveToOrigin(rest, map, mostPlausible(source, motion, map).floor_m);
  return rest;
}

}  // namespace

double restPoseDoubt(const humanoid::HumanoidMap& map, std::span<const Affine> worlds) {
  const Bones bones(map, worlds);
  double doubt = 0.0;
  if (const auto trunk = bones.trunk()) doubt = angleOf(*trunk, kUp) / kMaxTrunkTilt_rad;
  for (const auto& [upper, lower, end] :
       {std::array{Role::kLeftUpperLeg, Role::kLeftLowerLeg, Role::kLeftFoot},
        std::array{Role::kRightUpperLeg, Role::kRightLowerLeg, Role::kRightFoot}}) {
    for (const auto& bone : {bones.between(upper, lower), bones.between(lower, end)}) {
      if (bone) doubt = std::max(doubt, angleOf(*bone, -kUp) / kMaxLegTilt_rad);
    }
  }
  for (const auto& [upper, lower, end] :
       {std::array{Role::kLeftUpperArm, Role::kLeftLowerArm, Role::kLeftHand},
        std::array{Role::kRightUpperArm, Role::kRightLowerArm, Role::kRightHand}}) {
    const auto above = bones.between(upper, lower), below = bones.between(lower, end);
    if (above && below) doubt = std::max(doubt, angleOf(*above, *below) / kMaxElbow_rad);
  }
  return std::max(doubt, asymmetry_rad(bones) / kMaxAsymmetry_rad);
}

double restPoseConfidence(const humanoid::HumanoidMap& map, std::span<const Affine> worlds) {
  const double doubt = restPoseDoubt(map, worlds);
  return doubt <= 1.0 ? 1.0 - 0.5 * doubt : 0.5 / doubt;
}

RestPose sourceRestOf(const Scene& source, const Motion& motion, const humanoid::HumanoidMap& map,
                      const RestChoice& choice, Warnings& warnings) {
  if (!choice.locals.empty()) return givenRest(source, motion, map, choice);
  RestPose rest(source);
  if (map.origin == humanoid::HumanoidMap::Origin::kNone || hasBindPose(source, map.nodes)) {
    return rest;
  }
  rest.origin = "stored pose";
  const double stored_doubt = restPoseDoubt(map, rest.worlds);
  if (stored_doubt <= 1.0) return rest;
  const FoundFrame found = mostPlausible(source, motion, map);
  const auto locals = motion.localsOf(found.frame);
  RestPose estimated(source, {locals.begin(), locals.end()});
  estimated.origin = "frame " + std::to_string(found.frame) + " of the clip";
  moveToOrigin(estimated, map, found.floor_m);
  warnings.add(
      "rest_pose_estimated",
      "the file has no rest pose: no skin, and a frame of motion as pose of its nodes. The "
      "frame that is most like a rest pose is used",
      motion.clip_name + ", frame " + std::to_string(found.frame) +
          (found.doubt > 1.0 ? ", which is no plausible rest pose either" : ""));
  return estimated;
}

}  // namespace clipmill::retarget
