// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "stages/tet_bake/surface/bake_surface.h"
#include "stages/tet_bake/surface/thin_sheets.h"

namespace clipmill::tet_bake {

/// Parts the solid of a figure into bodies that have no node in common, as the limbs of a doll that
/// are stuck into its trunk. What overlaps then is not grown together: each turns by itself, as its
/// skin does. Bodies that follow one node as a whole are left out and their points get a
/// BakeSurface::share of 0, unless all do. Bodies in the order of their first triangles.
std::vector<SolidSurface> separateBodies(BakeSurface& surface, const SolidSurface& solid);

}  // namespace clipmill::tet_bake
