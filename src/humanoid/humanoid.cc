// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/humanoid.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/text.h"
#include "core/to_size.h"
#include "humanoid/by_names.h"
#include "humanoid/by_topology.h"
#include "humanoid/check.h"
#include "humanoid/joint_layout.h"

namespace clipmill::humanoid {
namespace {

using namespace humanoid;
using enum HumanoidRole;

constexpr std::array<const char*, kHumanoidRoleCount> kRoleNames = {
    "hips",          "spine",         "chest",         "upperChest",    "neck",
    "head",          "leftShoulder",  "leftUpperArm",  "leftLowerArm",  "leftHand",
    "rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand",     "leftUpperLeg",
    "leftLowerLeg",  "leftFoot",      "leftToes",      "rightUpperLeg", "rightLowerLeg",
    "rightFoot",     "rightToes"};

// By shape and names agree about a character where so much of the roles that both know is the same.
constexpr double kAgreement = 0.8;
constexpr std::size_t kEnoughNamed = 8;

HumanoidMap declaredMap(const Scene& scene) {
  HumanoidMap map;
  for (const DeclaredRole& declared : scene.humanoid) {
    const auto role = humanoidRoleOfName(declared.role);
    const bool exists =
        declared.node >= 0 && declared.node < static_cast<int>(scene.skeleton.size());
    if (!role || !exists || map[*role] >= 0) continue;
    roleOf(map, *role) = declared.node;
    map.origin = HumanoidMap::Origin::kDeclared;
  }
  return map;
}

bool playsRole(const HumanoidMap& map, int node) {
  return std::find(map.nodes.begin(), map.nodes.end(), node) != map.nodes.end();
}

// Fills what the names leave open by what the shape determines.
void fillByShape(const HumanoidMap& shape, HumanoidMap& map) {
  std::size_t known = 0, equal = 0;
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) {
    if (map.nodes[i] < 0 || shape.nodes[i] < 0) continue;
    ++known;
    equal += map.nodes[i] == shape.nodes[i];
  }
  const bool agree = static_cast<double>(equal) >= kAgreement * static_cast<double>(known);
  if (known < kEnoughNamed || !agree) return;
  for (HumanoidRole role : coreRoles()) {
    if (map[role] < 0 && shape[role] >= 0 && !playsRole(map, shape[role])) {
      roleOf(map, role) = shape[role];
    }
  }
}

HumanoidMap searchedMap(const JointLayout& character) {
  HumanoidMap map = mapByNames(character);
  if (countCoreRoles(map) == coreRoles().size() && isHumanoid(character, map)) {
    judge(character, map);
    return map;
  }
  bool sides_assumed = false;
  HumanoidMap shape = mapByTopology(character, &sides_assumed);
  fillByShape(shape, map);
  if (isHumanoid(character, map)) {
    judge(character, map);
    return map;
  }
  if (!isHumanoid(character, shape)) return {};
  judge(character, shape);
  if (sides_assumed) {
    shape.doubts.emplace_back("front of the character is unknown: +z is assumed");
  }
  return shape;
}

Error pairError(const std::string& pair, const std::string& message, const std::string& remedy) {
  return {ErrorCode::kRecipe, "humanoid '" + pair + "'", message, remedy};
}

Result<HumanoidRole> roleOfPair(const std::string& pair, const std::string& name) {
  if (const auto role = humanoidRoleOfName(name)) return *role;
  const std::vector<std::string> names(kRoleNames.begin(), kRoleNames.end());
  const auto nearest = nearestWord(name, names);
  return pairError(pair, "there is no role '" + name + "'",
                   nearest ? "did you mean '" + *nearest + "'?"
                           : "name a role as VRM 1.0 does, such as 'leftUpperArm'");
}

Result<int> nodeOfPair(const Skeleton& skeleton, const std::string& pair,
                       const std::string& pattern) {
  if (pattern.empty()) return -1;
  return findOneNode(skeleton, pattern, "humanoid '" + pair + "'");
}

// From right to left between two nodes; zero where one is missing.
Vec3 acrossOf(const HumanoidMap& map, std::span<const Affine> worlds, HumanoidRole left,
              HumanoidRole right) {
  if (map[left] < 0 || map[right] < 0) return Vec3(0.0);
  return worlds[toSize(map[left])].translation - worlds[toSize(map[right])].translation;
}

std::optional<Vec3> trunkTopOf(const HumanoidMap& map, std::span<const Affine> worlds) {
  const auto positionOf = [&](HumanoidRole role) { return worlds[toSize(map[role])].translation; };
  for (HumanoidRole role : {kNeck, kHead}) {
    if (map[role] >= 0) return positionOf(role);
  }
  if (map[kLeftUpperArm] < 0 || map[kRightUpperArm] < 0) return std::nullopt;
  return 0.5 * (positionOf(kLeftUpperArm) + positionOf(kRightUpperArm));
}

}  // namespace

const char* humanoidRoleName(HumanoidRole role) { return kRoleNames[toSize(role)]; }

std::optional<HumanoidRole> humanoidRoleOfName(std::string_view name) {
  const auto found = std::find(kRoleNames.begin(), kRoleNames.end(), name);
  if (found == kRoleNames.end()) return std::nullopt;
  return static_cast<HumanoidRole>(found - kRoleNames.begin());
}

const char* originName(HumanoidMap::Origin origin) {
  switch (origin) {
    case HumanoidMap::Origin::kGiven:
      return "given";
    case HumanoidMap::Origin::kDeclared:
      return "declared";
    case HumanoidMap::Origin::kNames:
      return "names";
    case HumanoidMap::Origin::kTopology:
      return "topology";
    case HumanoidMap::Origin::kNone:
      break;
  }
  return "none";
}

std::optional<BodyAxes> bodyAxes(const HumanoidMap& map, std::span<const Affine> worlds) {
  const std::optional<Vec3> top = trunkTopOf(map, worlds);
  if (!top || map[kHips] < 0) return std::nullopt;
  const Vec3 lateral = unitOrZero(acrossOf(map, worlds, kLeftUpperArm, kRightUpperArm) +
                                  acrossOf(map, worlds, kLeftUpperLeg, kRightUpperLeg));
  const Vec3 trunk = unitOrZero(*top - worlds[toSize(map[kHips])].translation);
  const Vec3 upright = trunk - lateral * glm::dot(trunk, lateral);
  constexpr double kMinSine = 1e-3;  // below that trunk and lateral are as good as one line
  const double sine = std::sqrt(glm::dot(upright, upright));
  if (lateral == Vec3(0.0) || !(sine > kMinSine)) return std::nullopt;
  BodyAxes axes;
  axes.lateral = lateral;
  axes.up = upright / sine;
  axes.forward = glm::cross(axes.lateral, axes.up);
  return axes;
}

HumanoidMap findHumanoid(const Scene& scene) {
  const JointLayout character = jointLayoutOf(scene);
  HumanoidMap declared = declaredMap(scene);
  if (declared.origin == HumanoidMap::Origin::kNone) return searchedMap(character);
  judge(character, declared);
  return declared;
}

Result<HumanoidMap> humanoidFromPairs(const Scene& scene, std::span<const std::string> pairs) {
  HumanoidMap map = findHumanoid(scene);
  std::array<bool, kHumanoidRoleCount> is_given{};
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) return pairError(pair, "has no '='", "write role=node");
    CLIPMILL_TRY(const HumanoidRole role,
                 roleOfPair(pair, std::string(trimmed(pair.substr(0, equals)))));
    bool& given = is_given[toSize(role)];
    if (given) return pairError(pair, "gives a role twice", "leave one out");
    CLIPMILL_TRY(const int node,
                 nodeOfPair(scene.skeleton, pair, std::string(trimmed(pair.substr(equals + 1)))));
    given = true;
    for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) {
      if (map.nodes[i] == node && !is_given[i]) map.nodes[i] = -1;
    }
    roleOf(map, role) = node;
  }
  if (pairs.empty()) return map;
  map.origin = HumanoidMap::Origin::kGiven;
  map.doubts.clear();
  judge(jointLayoutOf(scene), map);
  return map;
}

}  // namespace clipmill::humanoid
