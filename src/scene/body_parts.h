// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "anim/skeleton.h"
#include "scene/humanoid.h"

namespace clipmill {

/// A part of a skinned figure: the vertices that are moved most by the joints of one region. A
/// joint belongs to the region of the nearest node at or above it that plays a role.
enum class BodyPart {
  kTrunk,  ///< Hips to chest, collar bones, and all that hangs on them.
  kHead,   ///< Neck and head.
  kLeftUpperArm,
  kRightUpperArm,
  kLeftForearm,  ///< Lower arm, hand and fingers, and what the hand holds by its bones.
  kRightForearm,
  kLeftThigh,
  kRightThigh,
  kLeftShin,  ///< Lower leg, foot and toes.
  kRightShin,
  kCount,
};
inline constexpr std::size_t kBodyPartCount = static_cast<std::size_t>(BodyPart::kCount);

/// The part that a role's joint belongs to.
BodyPart bodyPartOfRole(HumanoidRole role);

/// The part of every node; kCount for those below no node that plays a role.
std::vector<BodyPart> bodyPartsOfNodes(const Skeleton& skeleton, const HumanoidMap& map);

}  // namespace clipmill
