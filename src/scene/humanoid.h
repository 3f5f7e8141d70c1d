// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scene/scene.h"

namespace clipmill {

/// What a node is to a human figure; names as in VRM 1.0.
enum class HumanoidRole {
  kHips,
  kSpine,
  kChest,
  kUpperChest,
  kNeck,
  kHead,
  kLeftShoulder,
  kLeftUpperArm,
  kLeftLowerArm,
  kLeftHand,
  kRightShoulder,
  kRightUpperArm,
  kRightLowerArm,
  kRightHand,
  kLeftUpperLeg,
  kLeftLowerLeg,
  kLeftFoot,
  kLeftToes,
  kRightUpperLeg,
  kRightLowerLeg,
  kRightFoot,
  kRightToes,
  kCount,
};
inline constexpr std::size_t kHumanoidRoleCount = static_cast<std::size_t>(HumanoidRole::kCount);

/// "leftUpperArm", as in VRM 1.0.
const char* humanoidRoleName(HumanoidRole role);

/// Which node plays which role.
struct HumanoidMap {
  enum class Origin { kNone, kGiven, kDeclared, kNames, kTopology };
  std::array<int, kHumanoidRoleCount> nodes;  ///< Indices in Skeleton::nodes, or -1.
  Origin origin = Origin::kNone;
  double confidence = 0.0;  ///< 0..1: share of what the map could be held against that fits.
  std::vector<std::string> doubts;  ///< What did not fit, one clause each.

  HumanoidMap() { nodes.fill(-1); }
  int operator[](HumanoidRole role) const { return nodes[static_cast<std::size_t>(role)]; }
};

/// The humanoid map of a scene: what the file declares (VRM), else by names, else by the shape of
/// the hierarchy and the rest pose. Origin kNone and confidence 0 where there is no human figure.
HumanoidMap findHumanoid(const Scene& scene);

}  // namespace clipmill
