// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "core/to_size.h"
#include "scene/scene.h"

namespace clipmill::humanoid {

/// The role of a node in a human character; names as in VRM 1.0.
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
inline constexpr std::size_t kHumanoidRoleCount = toSize(HumanoidRole::kCount);

/// "leftUpperArm", as in VRM 1.0.
const char* humanoidRoleName(HumanoidRole role);

/// The role of that name, if there is one.
std::optional<HumanoidRole> humanoidRoleOfName(std::string_view name);

/// Which node has which role.
struct HumanoidMap {
  enum class Origin { kNone, kGiven, kDeclared, kNames, kTopology };
  std::array<int, kHumanoidRoleCount> nodes;  ///< Indices in Skeleton::nodes, or -1.
  Origin origin = Origin::kNone;
  double confidence = 0.0;          ///< 0..1: share of the checks that the map passes.
  std::vector<std::string> doubts;  ///< Failed checks, one clause each.

  HumanoidMap() { nodes.fill(-1); }
  int operator[](HumanoidRole role) const { return nodes[toSize(role)]; }
};

/// "none", "given", "declared", "names" or "topology".
const char* originName(HumanoidMap::Origin origin);

/// The humanoid map of a scene: what the file declares (VRM), else by names, else by the shape of
/// the hierarchy and the rest pose. Roles that names leave open are filled by the shape, where the
/// two agree on most others. Left and right are those that the file or the names give; where toes
/// or knees contradict them, that is a doubt. Origin kNone and confidence 0 where there is no
/// human character. Skins, which some readers load with the meshes only, help to distinguish bones
/// from helpers and meshes of the same name.
HumanoidMap findHumanoid(const Scene& scene);

/// The map of findHumanoid() with some roles given by hand, each as "role=node": a role name and a
/// name, path or glob that one node has; "role=" leaves a role without a node. Nodes that are given
/// have no other role. Errors: kRecipe for a text without '=', an unknown role, a role given twice
/// or a pattern with several matches; kNotFound for one that matches nothing.
Result<HumanoidMap> humanoidFromPairs(const Scene& scene, std::span<const std::string> pairs);

/// The directions of a body, three unit vectors at right angles to each other.
struct BodyAxes {
  Vec3 lateral{1.0, 0.0, 0.0};  ///< To the character's own left.
  Vec3 up{0.0, 1.0, 0.0};       ///< From the hips to neck or chest.
  Vec3 forward{0.0, 0.0, 1.0};
};

/// The axes of a body in the pose whose node-to-world maps are `worlds` (one a node), in the space
/// of those: lateral is the mean of the directions from right to left between the upper arms and
/// between the upper legs, up that from the hips to the neck (else the head, the middle of the
/// upper arms) made normal to it, forward = lateral x up. None where the map lacks the nodes for
/// it, or they are in one line.
std::optional<BodyAxes> bodyAxes(const HumanoidMap& map, std::span<const Affine> worlds);

}  // namespace clipmill::humanoid
