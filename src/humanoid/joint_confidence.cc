// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/joint_confidence.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "humanoid/by_names.h"
#include "humanoid/by_topology.h"
#include "humanoid/joint_layout.h"

namespace clipmill::humanoid {
namespace {

using enum HumanoidRole;

constexpr double kSideDifference = 0.2;

// The role that is next towards the hips; that of the hips is itself.
constexpr std::array<HumanoidRole, kHumanoidRoleCount> kAbove = {
    kHips,          kHips,          kSpine,         kChest,        kUpperChest,   kNeck,
    kUpperChest,    kLeftShoulder,  kLeftUpperArm,  kLeftLowerArm, kUpperChest,   kRightShoulder,
    kRightUpperArm, kRightLowerArm, kHips,          kLeftUpperLeg, kLeftLowerLeg, kLeftFoot,
    kHips,          kRightUpperLeg, kRightLowerLeg, kRightFoot};

// The role of the other side; of the trunk the role itself.
constexpr std::array<HumanoidRole, kHumanoidRoleCount> kOtherSide = {
    kHips,          kSpine,         kChest,         kUpperChest,    kNeck,         kHead,
    kRightShoulder, kRightUpperArm, kRightLowerArm, kRightHand,     kLeftShoulder, kLeftUpperArm,
    kLeftLowerArm,  kLeftHand,      kRightUpperLeg, kRightLowerLeg, kRightFoot,    kRightToes,
    kLeftUpperLeg,  kLeftLowerLeg,  kLeftFoot,      kLeftToes};

// The node of the next role above that the character has; -1 for the hips.
int nodeAbove(const HumanoidMap& map, HumanoidRole role) {
  while (role != kHips) {
    role = kAbove[toSize(role)];
    if (map[role] >= 0) return map[role];
  }
  return -1;
}

class Checks {
 public:
  void add(bool passes) {
    ++applied_;
    passed_ += passes ? 1 : 0;
  }
  double share() const { return applied_ > 0 ? static_cast<double>(passed_) / applied_ : 0.0; }

 private:
  int applied_ = 0, passed_ = 0;
};

bool isLikeOtherSide(const JointLayout& character, const HumanoidMap& map, HumanoidRole role,
                     int above) {
  const HumanoidRole other = kOtherSide[toSize(role)];
  const int other_above = nodeAbove(map, other);
  if (map[other] == map[role]) return false;
  if (other_above < 0) return true;
  const double here_m = distanceBetween(character, above, map[role]);
  const double there_m = distanceBetween(character, other_above, map[other]);
  return std::fabs(here_m - there_m) <= kSideDifference * std::max(here_m, there_m);
}

bool isDeclared(const Scene& scene, HumanoidRole role, int node) {
  return std::any_of(scene.humanoid.begin(), scene.humanoid.end(), [&](const DeclaredRole& known) {
    return known.node == node && known.role == humanoidRoleName(role);
  });
}

}  // namespace

JointConfidences jointConfidences(const Scene& scene, const HumanoidMap& map) {
  JointConfidences confidences{};
  if (map.origin == HumanoidMap::Origin::kNone) return confidences;
  const JointLayout character = jointLayoutOf(scene);
  const HumanoidMap named = mapByNames(character), shape = mapByTopology(character);
  for (std::size_t r = 0; r < kHumanoidRoleCount; ++r) {
    const auto role = static_cast<HumanoidRole>(r);
    if (map[role] < 0) continue;
    Checks checks;
    checks.add(named[role] == map[role] || isDeclared(scene, role, map[role]));
    if (shape[role] >= 0) checks.add(shape[role] == map[role]);
    const int above = nodeAbove(map, role);
    if (above >= 0) {
      checks.add(above != map[role] && isAtOrAbove(character, above, map[role]));
      const HumanoidRole other = kOtherSide[r];
      if (other != role && map[other] >= 0) {
        checks.add(isLikeOtherSide(character, map, role, above));
      }
    }
    confidences[r] = checks.share();
  }
  return confidences;
}

}  // namespace clipmill::humanoid
