// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "humanoid/joint_layout.h"

namespace clipmill::humanoid {

/// The map that follows from the shape of the hierarchy, without names: hips are where two legs and
/// a trunk part, the trunk ends where two arms part. Legs and arms are pairs of chains with bones
/// of equal length, so that the pose does not matter; of several candidates the largest character
/// counts. Left and right follow from where toes or knees point; `*sides_assumed` (if given)
/// reports that nothing showed it and the character was taken to face +z. All roles are -1 where
/// there is none.
HumanoidMap mapByTopology(const JointLayout& character, bool* sides_assumed = nullptr);

}  // namespace clipmill::humanoid
