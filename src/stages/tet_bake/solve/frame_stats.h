// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/tet_bake/solve/frame_block.h"
#include "stages/tet_bake/solve/frame_measures_simd.h"

namespace clipmill::tet_bake {

/// Fills what FrameStats say of places: energy, volume and the ratios of volumes.
void measureStats(const TetSystem& system, const MeasureSystem& measures, FrameBlock& block);

}  // namespace clipmill::tet_bake
