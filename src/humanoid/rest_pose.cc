// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/rest_pose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::humanoid {
namespace {

using Role = HumanoidRole;

const Vec3 kUp(0.0, 1.0, 0.0);

constexpr double kMaxTrunkTilt_rad = 20.0 * kDegree, kMaxLegTilt_rad = 30.0 * kDegree,
                 kMaxElbow_rad = 35.0 * kDegree, kMaxAsymmetry_rad = 25.0 * kDegree;
constexpr double kNoBone_m = 1e-6;

double angleOf(const Vec3& a, const Vec3& b) {
  return portable::atan2(lengthOf(glm::cross(a, b)), glm::dot(a, b));
}

// The bones of a pose between the joints of roles.
class PoseBones {
 public:
  PoseBones(const HumanoidMap& map, std::span<const Affine> worlds) : map_(map), worlds_(worlds) {}

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
  const HumanoidMap& map_;
  std::span<const Affine> worlds_;
};

double asymmetry_rad(const PoseBones& bones) {
  const auto left = bones.between(Role::kLeftUpperArm, Role::kLeftLowerArm),
             right = bones.between(Role::kRightUpperArm, Role::kRightLowerArm);
  const Vec3 lateral = bones.lateral();
  if (!left || !right || lengthOf(lateral) < kNoBone_m) return 0.0;
  const Vec3 side = lateral / lengthOf(lateral);
  return angleOf(*left - 2.0 * glm::dot(*left, side) * side, *right);
}

}  // namespace

double restPoseDoubt(const HumanoidMap& map, std::span<const Affine> worlds) {
  const PoseBones bones(map, worlds);
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

double restPoseConfidence(const HumanoidMap& map, std::span<const Affine> worlds) {
  const double doubt = restPoseDoubt(map, worlds);
  return doubt <= 1.0 ? 1.0 - 0.5 * doubt : 0.5 / doubt;
}

double lowestFoot_m(const HumanoidMap& map, std::span<const Affine> worlds) {
  double lowest_m = std::numeric_limits<double>::infinity();
  for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
    if (map[role] >= 0) lowest_m = std::min(lowest_m, worlds[toSize(map[role])].translation.y);
  }
  return std::isfinite(lowest_m) ? lowest_m : 0.0;
}

double headingOf_rad(const HumanoidMap& map, std::span<const Affine> worlds) {
  const Vec3 lateral = PoseBones(map, worlds).lateral();
  return lengthOf(lateral) < kNoBone_m ? 0.0 : portable::atan2(-lateral.z, lateral.x);
}

RestPoseSearch::RestPoseSearch(const Scene& scene, const HumanoidMap& map)
    : scene_(scene), map_(map) {}

void RestPoseSearch::show(std::size_t frame, std::span<const Transform> locals) {
  computeWorlds(scene_.skeleton, locals, scene_.metric_from_file, worlds_);
  const double doubt = restPoseDoubt(map_, worlds_);
  floor_m_ = std::min(floor_m_, lowestFoot_m(map_, worlds_));
  if (!(doubt < doubt_)) return;
  doubt_ = doubt;
  frame_ = frame;
}

}  // namespace clipmill::humanoid
