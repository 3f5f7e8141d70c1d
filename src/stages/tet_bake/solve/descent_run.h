// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "stages/tet_bake/solve/block_descent_simd.h"
#include "stages/tet_bake/solve/frame_block.h"

namespace clipmill::stages::tet_bake {

/// Sweeps over the frames of a block until each has converged, and fills their stats. A converged
/// frame is not changed while the others continue: its result does not depend on them. `energy`:
/// elastic, of the frames as they are.
void runDescent(const DescentSystem& system, const DescentSettings& settings,
                std::array<double, kFrameLanes> energy, FrameBlock& frames);

}  // namespace clipmill::stages::tet_bake
