// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/body_parts.h"

#include "core/to_size.h"

namespace clipmill::humanoid {

BodyPart bodyPartOfRole(HumanoidRole role) {
  using enum HumanoidRole;
  switch (role) {
    case kHips:
    case kSpine:
    case kChest:
    case kUpperChest:
    case kLeftShoulder:
    case kRightShoulder:
      return BodyPart::kTrunk;
    case kNeck:
    case kHead:
      return BodyPart::kHead;
    case kLeftUpperArm:
      return BodyPart::kLeftUpperArm;
    case kRightUpperArm:
      return BodyPart::kRightUpperArm;
    case kLeftLowerArm:
    case kLeftHand:
      return BodyPart::kLeftForearm;
    case kRightLowerArm:
    case kRightHand:
      return BodyPart::kRightForearm;
    case kLeftUpperLeg:
      return BodyPart::kLeftThigh;
    case kRightUpperLeg:
      return BodyPart::kRightThigh;
    case kLeftLowerLeg:
    case kLeftFoot:
    case kLeftToes:
      return BodyPart::kLeftShin;
    case kRightLowerLeg:
    case kRightFoot:
    case kRightToes:
      return BodyPart::kRightShin;
    case kCount:
      break;
  }
  return BodyPart::kCount;
}

std::vector<BodyPart> bodyPartsOfNodes(const Skeleton& skeleton, const HumanoidMap& map) {
  std::vector<BodyPart> parts(skeleton.size(), BodyPart::kCount);
  for (std::size_t role = 0; role < kHumanoidRoleCount; ++role) {
    const int node = map.nodes[role];
    if (node < 0) continue;
    parts[toSize(node)] = bodyPartOfRole(static_cast<HumanoidRole>(role));
  }
  // Parents precede their children.
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const int parent = skeleton.nodes[n].parent;
    if (parts[n] == BodyPart::kCount && parent >= 0) {
      parts[n] = parts[toSize(parent)];
    }
  }
  return parts;
}

}  // namespace clipmill::humanoid
