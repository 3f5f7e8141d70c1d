// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "scene/skin_surface.h"
#include "scene/thin_sheets.h"

namespace clipmill::stages::tet_bake {

/// Parts the solid of a character into bodies that have no node in common, as the limbs of a doll
/// that are stuck into its trunk. Overlapping bodies are not joined: each rotates by itself, as
/// its skin does. Bodies that follow one node as a whole are left out and their points get a
/// SkinSurface::share of 0, unless all do. Bodies in the order of their first triangles.
std::vector<SolidSurface> separateBodies(SkinSurface& surface, const SolidSurface& solid);

}  // namespace clipmill::stages::tet_bake
