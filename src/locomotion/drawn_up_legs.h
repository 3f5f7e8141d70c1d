// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "locomotion/foot_contacts.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

/// True where both feet stay a quarter of a leg higher than in the rest pose while the hips stay
/// near their height there: the legs are drawn up, as in a jump on the spot whose height is
/// left to a game. False without hips (a node, or -1), and for a rest pose that is not on height 0.
bool areLegsDrawnUp(const Scene& scene, int hips, const FeetTrace& trace);

/// Whether the lowest level of the feet is the height of those of the rest pose.
bool areFeetOnRestGround(const Scene& scene, const FeetTrace& trace);

}  // namespace clipmill::locomotion
