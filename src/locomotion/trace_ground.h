// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/math.h"
#include "locomotion/foot_contacts.h"

namespace clipmill::locomotion {

/// The positions relative to the ground of a trace, one a sample.
std::vector<Vec3> pathOnGround(const FeetTrace& trace, const std::vector<Vec3>& positions_m);

/// Finds the paths of heels and balls on the ground of the trace, their levels, and the lowest of
/// these. A point that is never near the lowest level has a level a little above it.
void findLevels(FeetTrace& trace);

/// The mean horizontal velocity relative to the ground of heels and balls in their contacts; 0
/// without contacts.
Vec3 plantedVelocity(const FeetTrace& trace);

}  // namespace clipmill::locomotion
