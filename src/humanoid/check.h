// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "humanoid/joint_layout.h"

namespace clipmill::humanoid {

/// Whether two directions point apart as trunk and legs of an upright character do, more than 127
/// degrees: four-legged animals have them at a right angle.
bool isOpposite(const Vec3& rising, const Vec3& falling);

/// Whether left and right of the map agree with the direction of toes, or else of knees: above
/// 0 they do, below they are exchanged, 0 where that is undetermined. Needs hips or legs, and
/// arms.
double sideAgreement(const JointLayout& character, const HumanoidMap& map);

/// Whether the character, taken by the sides of the map, faces +z (y up).
bool facesPlusZ(const JointLayout& character, const HumanoidMap& map);

/// Whether the map is that of an upright human character: hips, three limbs of two bones, two
/// thirds of the core roles, a trunk that rises where the legs fall.
bool isHumanoid(const JointLayout& character, const HumanoidMap& map);

/// Sets confidence and doubts by the checks that apply to the map: each core role is there, limbs
/// hang in the right order, bones of both sides have one length, the trunk rises, the sides agree
/// with toes or knees.
void judge(const JointLayout& character, HumanoidMap& map);

}  // namespace clipmill::humanoid
