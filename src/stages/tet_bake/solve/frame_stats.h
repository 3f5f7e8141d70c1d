// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/tet_bake/solve/frame_block.h"
#include "stages/tet_bake/solve/frame_measures_simd.h"

namespace clipmill::stages::tet_bake {

/// Fills the members of FrameStats that depend on positions: energy, volume, volume ratios.
void measureStats(const TetSystem& system, const MeasureSystem& measures, FrameBlock& block);

}  // namespace clipmill::stages::tet_bake
