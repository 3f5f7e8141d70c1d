// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math.h"

namespace clipmill::io::arrays {

/// Positions, frames x 22, y up in metres, of HumanML3D features, 263 numbers a frame that are not
/// normalised (C. Guo et al., "Generating Diverse and Natural 3D Human Motions from Text", 2022):
/// angular velocity of the root about y, its velocity along x and z in its own heading, its height,
/// then positions of 21 joints in that heading. The velocities are summed as published.
std::vector<Vec3> humanMlPositions(std::span<const double> features);

}  // namespace clipmill::io::arrays
