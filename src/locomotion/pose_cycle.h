// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anim/motion.h"
#include "scene/scene.h"

/// Whether a motion ends in the pose in which it starts. The translations of `hips` (a node, or -1)
/// and of its ancestors may differ: a character that travels returns to its pose elsewhere.
namespace clipmill::locomotion {

/// Of a motion that may be played as a cycle without a seam: bones by at most 1e-3 rad, joints by
/// that share of the length of their bone. False for one that has rotated.
bool isCycle(const Skeleton& skeleton, int hips, const Motion& motion);

/// Also of a motion that runs through its seam, seen at `ends` (nodes) and all above them: from the
/// last pose to the first, bones rotate by at most 0.1 rad (joints move by that share of the length
/// of their bone), and no farther than bones do in 1/30 s at either end of the motion. Loops that
/// were made by hand are such motions; one that rests at an end has to return to its first pose as
/// isCycle() asks.
bool isNearlyCycle(const Skeleton& skeleton, int hips, std::span<const int> ends,
                   const Motion& motion);

}  // namespace clipmill::locomotion
