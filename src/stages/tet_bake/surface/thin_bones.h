// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/warnings.h"
#include "scene/scene.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/surface/bones.h"

namespace clipmill::stages::tet_bake {

/// The share of the skin of a bone that cells of `cell_m` are fine enough to move: 1 from 1.6 cells
/// across its thickness on, 0 up to one, smooth between.
double cellShare(const BakeBone& bone, double cell_m);

/// cellShare() of the bones that move each point, by its weights. Empty where it is 1 everywhere.
std::vector<double> cellShares(const SkinSurface& surface, const std::vector<BakeBone>& bones,
                               double cell_m);

/// Warning `cells_too_large` for each bone with a cellShare() below 1/2, by name, thickness and
/// cell size.
void warnOfThinBones(const Skeleton& skeleton, const std::vector<BakeBone>& bones, double cell_m,
                     Warnings& warnings);

}  // namespace clipmill::stages::tet_bake
