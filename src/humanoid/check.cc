// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/math.h"
#include "core/text.h"

namespace clipmill::humanoid {
namespace {

using enum HumanoidRole;

constexpr double kOppositeCosine = -0.6;
// A knee that bends less than this share of the leg does not show where it points.
constexpr double kMinBend = 0.015;
constexpr double kBoneDifference = 0.2;
constexpr std::size_t kEnoughCoreRoles = 10;
constexpr int kEnoughLimbs = 3;

struct SidePair {
  HumanoidRole left, right;
};
constexpr std::array<SidePair, 8> kSides = {{{kLeftShoulder, kRightShoulder},
                                             {kLeftUpperArm, kRightUpperArm},
                                             {kLeftLowerArm, kRightLowerArm},
                                             {kLeftHand, kRightHand},
                                             {kLeftUpperLeg, kRightUpperLeg},
                                             {kLeftLowerLeg, kRightLowerLeg},
                                             {kLeftFoot, kRightFoot},
                                             {kLeftToes, kRightToes}}};

// Bones by their two ends; the nodes hang one above the other.
struct RolePair {
  HumanoidRole upper, lower;
};
constexpr std::array<RolePair, 8> kBones = {{{kLeftUpperArm, kLeftLowerArm},
                                             {kRightUpperArm, kRightLowerArm},
                                             {kLeftLowerArm, kLeftHand},
                                             {kRightLowerArm, kRightHand},
                                             {kLeftUpperLeg, kLeftLowerLeg},
                                             {kRightUpperLeg, kRightLowerLeg},
                                             {kLeftLowerLeg, kLeftFoot},
                                             {kRightLowerLeg, kRightFoot}}};

// The checks of a map, one after another.
class Judgement {
 public:
  explicit Judgement(HumanoidMap& map) : map_(map) {}
  void hold(bool fits, const std::string& doubt) {
    ++held_;
    if (fits) {
      ++fitting_;
    } else if (!doubt.empty()) {
      map_.doubts.push_back(doubt);
    }
  }
  double confidence() const {
    return held_ > 0 ? static_cast<double>(fitting_) / static_cast<double>(held_) : 0.0;
  }

 private:
  HumanoidMap& map_;
  int held_ = 0, fitting_ = 0;
};

std::vector<Affine> worldsOf(const JointLayout& character) {
  std::vector<Affine> worlds(character.positions.size());
  for (std::size_t i = 0; i < worlds.size(); ++i) worlds[i].translation = character.positions[i];
  return worlds;
}

bool hasBoth(const HumanoidMap& map, HumanoidRole a, HumanoidRole b) {
  return map[a] >= 0 && map[b] >= 0;
}

// How far the toes of one leg project from the foot along `forward`, as a share of the foot.
double toesForward(const JointLayout& character, const HumanoidMap& map, HumanoidRole foot,
                   HumanoidRole toes, const Vec3& forward) {
  if (!hasBoth(map, foot, toes)) return 0.0;
  const Vec3 along = character.positionOf(map[toes]) - character.positionOf(map[foot]);
  const double length_m = lengthOf(along);
  return length_m > 0.0 ? glm::dot(along, forward) / length_m : 0.0;
}

// How far a knee projects from the line of its leg along `forward`, as a share of the leg.
double kneeForward(const JointLayout& character, const HumanoidMap& map, HumanoidRole upper,
                   HumanoidRole lower, HumanoidRole foot, const Vec3& forward) {
  if (!hasBoth(map, upper, lower) || map[foot] < 0) return 0.0;
  const Vec3 leg = character.positionOf(map[foot]) - character.positionOf(map[upper]);
  const Vec3 knee = character.positionOf(map[lower]) - character.positionOf(map[upper]);
  const double square = glm::dot(leg, leg);
  if (!(square > 0.0)) return 0.0;
  const Vec3 bend = knee - leg * (glm::dot(knee, leg) / square);
  return glm::dot(bend, forward) / std::sqrt(square);
}

Vec3 trunkTop(const JointLayout& character, const HumanoidMap& map) {
  const Vec3 arms =
      0.5 * (character.positionOf(map[kLeftUpperArm]) + character.positionOf(map[kRightUpperArm]));
  return map[kNeck] >= 0 ? character.positionOf(map[kNeck]) : arms;
}

bool rises(const JointLayout& character, const HumanoidMap& map) {
  if (!hasBoth(map, kLeftUpperArm, kRightUpperArm)) return false;
  if (!hasBoth(map, kLeftUpperLeg, kRightUpperLeg)) return false;
  const auto lowest = [&](HumanoidRole lower, HumanoidRole foot) {
    return map[foot] >= 0 ? map[foot] : map[lower];
  };
  const int left = lowest(kLeftLowerLeg, kLeftFoot), right = lowest(kRightLowerLeg, kRightFoot);
  if (left < 0 || right < 0) return false;
  const Vec3 hips =
      0.5 * (character.positionOf(map[kLeftUpperLeg]) + character.positionOf(map[kRightUpperLeg]));
  const Vec3 low = 0.5 * (character.positionOf(left) + character.positionOf(right));
  return isOpposite(trunkTop(character, map) - hips, low - hips);
}

void holdRoles(const HumanoidMap& map, Judgement& judgement) {
  for (HumanoidRole role : coreRoles()) {
    judgement.hold(map[role] >= 0, std::string("no node found for ") + humanoidRoleName(role));
  }
}

void holdOrder(const JointLayout& character, const HumanoidMap& map, Judgement& judgement) {
  for (const RolePair& bone : kBones) {
    if (!hasBoth(map, bone.upper, bone.lower)) continue;
    const bool hangs = map[bone.upper] != map[bone.lower] &&
                       isAtOrAbove(character, map[bone.upper], map[bone.lower]);
    judgement.hold(hangs, std::string(humanoidRoleName(bone.lower)) + " is not below " +
                              humanoidRoleName(bone.upper));
  }
  for (const HumanoidRole role : {kSpine, kLeftUpperLeg, kRightUpperLeg}) {
    if (!hasBoth(map, kHips, role)) continue;
    judgement.hold(isAtOrAbove(character, map[kHips], map[role]),
                   std::string(humanoidRoleName(role)) + " is not below the hips");
  }
}

void holdLengths(const JointLayout& character, const HumanoidMap& map, Judgement& judgement) {
  for (std::size_t i = 0; i + 1 < kBones.size(); i += 2) {
    const RolePair &left = kBones[i], &right = kBones[i + 1];
    if (!hasBoth(map, left.upper, left.lower) || !hasBoth(map, right.upper, right.lower)) continue;
    const double a = distanceBetween(character, map[left.upper], map[left.lower]);
    const double b = distanceBetween(character, map[right.upper], map[right.lower]);
    judgement.hold(std::abs(a - b) <= kBoneDifference * std::max(a, b),
                   std::string(humanoidRoleName(left.upper)) + " and " +
                       humanoidRoleName(right.upper) + " have bones of different length");
  }
}

void holdSides(const JointLayout& character, const HumanoidMap& map, Judgement& judgement) {
  for (const SidePair& pair : kSides) {
    if (map[pair.left] < 0 || map[pair.left] != map[pair.right]) continue;
    judgement.hold(false, std::string(humanoidRoleName(pair.left)) + " and " +
                              humanoidRoleName(pair.right) + " are one node");
  }
  const double agreement = sideAgreement(character, map);
  if (agreement == 0.0) return;
  judgement.hold(agreement > 0.0, "left and right are contrary to the direction of toes or knees");
}

}  // namespace

bool isOpposite(const Vec3& rising, const Vec3& falling) {
  const double lengths = lengthOf(rising) * lengthOf(falling);
  return lengths > 0.0 && glm::dot(rising, falling) < kOppositeCosine * lengths;
}

double sideAgreement(const JointLayout& character, const HumanoidMap& map) {
  const auto axes = bodyAxes(map, worldsOf(character));
  if (!axes) return 0.0;
  const double toes = toesForward(character, map, kLeftFoot, kLeftToes, axes->forward) +
                      toesForward(character, map, kRightFoot, kRightToes, axes->forward);
  constexpr double kMinToes = 0.2;
  if (std::abs(toes) > kMinToes) return toes;
  const double knees =
      kneeForward(character, map, kLeftUpperLeg, kLeftLowerLeg, kLeftFoot, axes->forward) +
      kneeForward(character, map, kRightUpperLeg, kRightLowerLeg, kRightFoot, axes->forward);
  return std::abs(knees) > kMinBend ? knees : 0.0;
}

bool facesPlusZ(const JointLayout& character, const HumanoidMap& map) {
  const auto axes = bodyAxes(map, worldsOf(character));
  return !axes || axes->forward.z >= 0.0;
}

bool isHumanoid(const JointLayout& character, const HumanoidMap& map) {
  int limbs = 0;
  for (const RolePair& bone : {kBones[0], kBones[1], kBones[4], kBones[5]}) {
    limbs += hasBoth(map, bone.upper, bone.lower);
  }
  return map[kHips] >= 0 && limbs >= kEnoughLimbs && countCoreRoles(map) >= kEnoughCoreRoles &&
         rises(character, map);
}

void judge(const JointLayout& character, HumanoidMap& map) {
  Judgement judgement(map);
  holdRoles(map, judgement);
  holdOrder(character, map, judgement);
  holdLengths(character, map, judgement);
  judgement.hold(rises(character, map), "trunk and legs do not point in opposite directions");
  holdSides(character, map, judgement);
  map.confidence = judgement.confidence();
}

}  // namespace clipmill::humanoid
