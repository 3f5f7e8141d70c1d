// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/missing_limbs.h"

#include <algorithm>
#include <array>

#include "humanoid/body_parts.h"

namespace clipmill::stages::self_collision {
namespace {

struct LimbJoints {
  const char* name;
  humanoid::HumanoidRole upper, lower, end;
  std::array<humanoid::BodyPart, 2> parts;
};

using enum humanoid::HumanoidRole;
using humanoid::BodyPart;

constexpr LimbJoints kLimbJoints[] = {{"left arm",
                                       kLeftUpperArm,
                                       kLeftLowerArm,
                                       kLeftHand,
                                       {BodyPart::kLeftUpperArm, BodyPart::kLeftForearm}},
                                      {"right arm",
                                       kRightUpperArm,
                                       kRightLowerArm,
                                       kRightHand,
                                       {BodyPart::kRightUpperArm, BodyPart::kRightForearm}},
                                      {"left leg",
                                       kLeftUpperLeg,
                                       kLeftLowerLeg,
                                       kLeftFoot,
                                       {BodyPart::kLeftThigh, BodyPart::kLeftShin}},
                                      {"right leg",
                                       kRightUpperLeg,
                                       kRightLowerLeg,
                                       kRightFoot,
                                       {BodyPart::kRightThigh, BodyPart::kRightShin}}};

bool isTested(const LimbJoints& limb, std::span<const penetration::PartPair> pairs) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const penetration::PartPair& pair) {
    return std::find(limb.parts.begin(), limb.parts.end(), pair.limb) != limb.parts.end();
  });
}

}  // namespace

void warnOfMissingLimbs(const humanoid::HumanoidMap& map,
                        std::span<const penetration::PartPair> pairs, const std::string& clip,
                        Warnings& warnings) {
  for (const LimbJoints& limb : kLimbJoints) {
    const std::string where = clip + ": " + limb.name;
    if (map[limb.upper] < 0 || map[limb.lower] < 0) {
      warnings.add("limb_missing", "a limb is missing in the humanoid map and is not tested",
                   where);
      continue;
    }
    if (map[limb.end] < 0) {
      warnings.add("hand_missing", "a limb without hand or foot rotates at its root only", where);
    }
    if (!isTested(limb, pairs)) {
      warnings.add("limb_without_skin", "no skin follows a limb, which is not tested", where);
    }
  }
}

}  // namespace clipmill::stages::self_collision
