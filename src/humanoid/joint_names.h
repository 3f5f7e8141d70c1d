// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anim/skeleton.h"

namespace clipmill::humanoid {

enum class Side { kNone, kLeft, kRight };

/// What a name means for a node. Some tokens mean one thing in one convention and another in the
/// next ("LeftShoulder" is a collar bone beside "LeftArm", an upper arm beside "LeftCollar"): those
/// have a part of their own here, and the chain that contains them decides.
enum class NamedPart {
  kNone,
  kHips,
  kTrunk,  ///< Spine, torso, abdomen, ..
  kChest,
  kUpperChest,
  kNeck,
  kHead,
  kCollar,
  kShoulder,  ///< Collar bone or upper arm.
  kArm,       ///< Upper arm, or one bone of an arm that numbers its bones.
  kUpperArm,
  kLowerArm,
  kHand,
  kSideHip,  ///< The hip joint of one leg.
  kLeg,      ///< Lower leg, or one bone of a leg that numbers its bones.
  kUpperLeg,
  kLowerLeg,
  kFoot,
  kToes,
  kFinger,
  kHelper,  ///< Twist, IK, control, end of a chain: not a bone of the body.
};

struct BodyName {
  NamedPart part = NamedPart::kNone;
  Side side = Side::kNone;
};

/// What `name` means; tokens of `noise` are ignored.
BodyName bodyNameOf(std::string_view name, std::span<const std::string> noise = {});

/// The same for every node. Tokens that are in many of the names and mean nothing here, such as the
/// name of the character, are passed over.
std::vector<BodyName> bodyNamesOf(const Skeleton& skeleton);

}  // namespace clipmill::humanoid
