// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "scene/humanoid_figure.h"

namespace clipmill::humanoid {

/// The map that the names of the nodes tell; the spine by what lies between hips and arms, neck and
/// head by place where they have no names. Left and right are those of the names. Roles that no
/// name tells stay -1; whether the rest is a human figure is for the caller to judge.
HumanoidMap mapByNames(const Figure& figure);

}  // namespace clipmill::humanoid
