// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/humanoid_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/text.h"

namespace clipmill::humanoid {
namespace {

using enum HumanoidRole;

constexpr double kOppositeCosine = -0.6;
// A knee that bends less than this share of the leg does not tell where it points.
constexpr double kTellingBend = 0.015;
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

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// What a map is held against, one thing after another.
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

std::vector<Affine> worldsOf(const Figure& figure) {
  std::vector<Affine> worlds(figure.places.size());
  for (std::size_t i = 0; i < worlds.size(); ++i) worlds[i].translation = figure.places[i];
  return worlds;
}

bool hasBoth(const HumanoidMap& map, HumanoidRole a, HumanoidRole b) {
  return map[a] >= 0 && map[b] >= 0;
}

// How far the toes of one leg stand out from the foot along `forward`, as a share of the foot.
double toesForward(const Figure& figure, const HumanoidMap& map, HumanoidRole foot,
                   HumanoidRole toes, const Vec3& forward) {
  if (!hasBoth(map, foot, toes)) return 0.0;
  const Vec3 along = figure.placeOf(map[toes]) - figure.placeOf(map[foot]);
  const double length_m = lengthOf(along);
  return length_m > 0.0 ? glm::dot(along, forward) / length_m : 0.0;
}

// How far a knee stands out from the line of its leg along `forward`, as a share of the leg.
double kneeForward(const Figure& figure, const HumanoidMap& map, HumanoidRole upper,
                   HumanoidRole lower, HumanoidRole foot, const Vec3& forward) {
  if (!hasBoth(map, upper, lower) || map[foot] < 0) return 0.0;
  const Vec3 leg = figure.placeOf(map[foot]) - figure.placeOf(map[upper]);
  const Vec3 knee = figure.placeOf(map[lower]) - figure.placeOf(map[upper]);
  const double square = glm::dot(leg, leg);
  if (!(square > 0.0)) return 0.0;
  const Vec3 bend = knee - leg * (glm::dot(knee, leg) / square);
  return glm::dot(bend, forward) / std::sqrt(square);
}

Vec3 trunkTop(const Figure& figure, const HumanoidMap& map) {
  const Vec3 arms =
      0.5 * (figure.placeOf(map[kLeftUpperArm]) + figure.placeOf(map[kRightUpperArm]));
  return map[kNeck] >= 0 ? figure.placeOf(map[kNeck]) : arms;
}

bool rises(const Figure& figure, const HumanoidMap& map) {
  if (!hasBoth(map, kLeftUpperArm, kRightUpperArm)) return false;
  if (!hasBoth(map, kLeftUpperLeg, kRightUpperLeg)) return false;
  const auto lowest = [&](HumanoidRole lower, HumanoidRole foot) {
    return map[foot] >= 0 ? map[foot] : map[lower];
  };
  const int left = lowest(kLeftLowerLeg, kLeftFoot), right = lowest(kRightLowerLeg, kRightFoot);
  if (left < 0 || right < 0) return false;
  const Vec3 hips =
      0.5 * (figure.placeOf(map[kLeftUpperLeg]) + figure.placeOf(map[kRightUpperLeg]));
  const Vec3 low = 0.5 * (figure.placeOf(left) + figure.placeOf(right));
  return isOpposite(trunkTop(figure, map) - hips, low - hips);
}

void holdRoles(const HumanoidMap& map, Judgement& judgement) {
  for (HumanoidRole role : coreRoles()) {
    judgement.hold(map[role] >= 0, std::string("no node found for ") + humanoidRoleName(role));
  }
}

void holdOrder(const Figure& figure, const HumanoidMap& map, Judgement& judgement) {
  for (const RolePair& bone : kBones) {
    if (!hasBoth(map, bone.upper, bone.lower)) continue;
    const bool hangs =
        map[bone.upper] != map[bone.lower] && isAtOrAbove(figure, map[bone.upper], map[bone.lower]);
    judgement.hold(hangs, std::string(humanoidRoleName(bone.lower)) + " does not hang on " +
                              humanoidRoleName(bone.upper));
  }
  for (const HumanoidRole role : {kSpine, kLeftUpperLeg, kRightUpperLeg}) {
    if (!hasBoth(map, kHips, role)) continue;
    judgement.hold(isAtOrAbove(figure, map[kHips], map[role]),
                   std::string(humanoidRoleName(role)) + " does not hang on hips");
  }
}

void holdLengths(const Figure& figure, const HumanoidMap& map, Judgement& judgement) {
  for (std::size_t i = 0; i + 1 < kBones.size(); i += 2) {
    const RolePair &left = kBones[i], &right = kBones[i + 1];
    if (!hasBoth(map, left.upper, left.lower) || !hasBoth(map, right.upper, right.lower)) continue;
    const double a = distanceBetween(figure, map[left.upper], map[left.lower]);
    const double b = distanceBetween(figure, map[right.upper], map[right.lower]);
    judgement.hold(std::abs(a - b) <= kBoneDifference * std::max(a, b),
                   std::string(humanoidRoleName(left.upper)) + " and " +
                       humanoidRoleName(right.upper) + " have bones of different length");
  }
}

void holdSides(const Figure& figure, const HumanoidMap& map, Judgement& judgement) {
  for (const SidePair& pair : kSides) {
    if (map[pair.left] < 0 || map[pair.left] != map[pair.right]) continue;
    judgement.hold(false, std::string(humanoidRoleName(pair.left)) + " and " +
                              humanoidRoleName(pair.right) + " are one node");
  }
  const double agreement = sideAgreement(figure, map);
  if (agreement == 0.0) return;
  judgement.hold(agreement > 0.0,
                 "left and right are the other way round than toes or knees point");
}

}  // namespace

bool isOpposite(const Vec3& rising, const Vec3& falling) {
  const double lengths = lengthOf(rising) * lengthOf(falling);
  return lengths > 0.0 && glm::dot(rising, falling) < kOppositeCosine * lengths;
}

double sideAgreement(const Figure& figure, const HumanoidMap& map) {
  const auto axes = bodyAxes(map, worldsOf(figure));
  if (!axes) return 0.0;
  const double toes = toesForward(figure, map, kLeftFoot, kLeftToes, axes->forward) +
                      toesForward(figure, map, kRightFoot, kRightToes, axes->forward);
  constexpr double kTellingToes = 0.2;
  if (std::abs(toes) > kTellingToes) return toes;
  const double knees =
      kneeForward(figure, map, kLeftUpperLeg, kLeftLowerLeg, kLeftFoot, axes->forward) +
      kneeForward(figure, map, kRightUpperLeg, kRightLowerLeg, kRightFoot, axes->forward);
  return std::abs(knees) > kTellingBend ? knees : 0.0;
}

bool facesPlusZ(const Figure& figure, const HumanoidMap& map) {
  const auto axes = bodyAxes(map, worldsOf(figure));
  return !axes || axes->forward.z >= 0.0;
}

bool isHumanFigure(const Figure& figure, const HumanoidMap& map) {
  int limbs = 0;
  for (const RolePair& bone : {kBones[0], kBones[1], kBones[4], kBones[5]}) {
    limbs += hasBoth(map, bone.upper, bone.lower);
  }
  return map[kHips] >= 0 && limbs >= kEnoughLimbs && countCoreRoles(map) >= kEnoughCoreRoles &&
         rises(figure, map);
}

void judge(const Figure& figure, HumanoidMap& map) {
  Judgement judgement(map);
  holdRoles(map, judgement);
  holdOrder(figure, map, judgement);
  holdLengths(figure, map, judgement);
  judgement.hold(rises(figure, map), "the trunk does not rise where the legs fall");
  holdSides(figure, map, judgement);
  map.confidence = judgement.confidence();
}

}  // namespace clipmill::humanoid
