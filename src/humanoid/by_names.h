// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "humanoid/joint_layout.h"

namespace clipmill::humanoid {

/// The map that follows from the names of the nodes; the spine by what lies between hips and arms,
/// neck and head by position where they have no names. Left and right are those of the names. Roles
/// that no name identifies stay -1; whether the rest is a human character is for the caller to
/// judge.
HumanoidMap mapByNames(const JointLayout& character);

}  // namespace clipmill::humanoid
