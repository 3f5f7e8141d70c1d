// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "stages/tet_bake/solve/block_descent_simd.h"
#include "stages/tet_bake/solve/frame_block.h"

namespace clipmill::tet_bake {

/// Sweeps over the frames of a block until each has come to rest, and says in their stats how that
/// went. A frame that has is left alone while the others go on: what it became does not depend on
/// them. `energy`: elastic, of the frames as they are.
void runDescent(const DescentSystem& system, const DescentSettings& settings,
                std::array<double, kFrameLanes> energy, FrameBlock& frames);

}  // namespace clipmill::tet_bake
