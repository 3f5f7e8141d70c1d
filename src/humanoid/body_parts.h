// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "anim/skeleton.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"

namespace clipmill::humanoid {

/// A part of a skinned character: the vertices that are moved most by the joints of one region. A
/// joint belongs to the region of the nearest node at or above it that has a role.
enum class BodyPart {
  kTrunk,  ///< Hips to chest, collar bones, and all that is below them.
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
inline constexpr std::size_t kBodyPartCount = toSize(BodyPart::kCount);

/// The part that a role's joint belongs to.
BodyPart bodyPartOfRole(HumanoidRole role);

/// The part of every node; kCount for those below no node that has a role.
std::vector<BodyPart> bodyPartsOfNodes(const Skeleton& skeleton, const HumanoidMap& map);

}  // namespace clipmill::humanoid
