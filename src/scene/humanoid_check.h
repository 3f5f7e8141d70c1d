// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "scene/humanoid_figure.h"

namespace clipmill::humanoid {

/// Whether two directions point apart as trunk and legs of an upright figure do, more than 127
/// degrees: four-legged animals have them at a right angle.
bool isOpposite(const Vec3& rising, const Vec3& falling);

/// Whether left and right of the map agree with the way in which toes, or else knees, point: above
/// 0 they do, below they are the wrong way round, 0 where nothing tells. Needs hips or legs, and
/// arms.
double sideAgreement(const Figure& figure, const HumanoidMap& map);

/// Whether the figure, taken by the sides of the map, faces +z (y up).
bool facesPlusZ(const Figure& figure, const HumanoidMap& map);

/// Whether the map is that of an upright human figure: hips, three limbs of two bones, two thirds
/// of the core roles, a trunk that rises where the legs fall.
bool isHumanFigure(const Figure& figure, const HumanoidMap& map);

/// Sets confidence and doubts by what the map can be held against: each core role is there, limbs
/// hang in the right order, bones of both sides have one length, the trunk rises, the sides agree
/// with toes or knees.
void judge(const Figure& figure, HumanoidMap& map);

}  // namespace clipmill::humanoid
