// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "scene/humanoid_figure.h"

namespace clipmill::humanoid {

/// The map that the shape of the hierarchy tells, whatever the names: hips are where two legs and a
/// trunk part, the trunk ends where two arms part. Legs and arms are pairs of chains with bones of
/// equal length, so that the pose does not matter; of several candidates the largest figure counts.
/// Left and right follow from where toes or knees point; `*sides_assumed` (if given) tells that
/// nothing showed it and the figure was taken to face +z. All roles are -1 where there is none.
HumanoidMap mapByTopology(const Figure& figure, bool* sides_assumed = nullptr);

}  // namespace clipmill::humanoid
