// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/outward_surface.h"
#include "scene/skin_surface.h"

namespace clipmill {

/// A surface parted into what has a volume and what has none.
struct SolidSurface {
  std::vector<std::uint32_t> triangles;  ///< All of the body's, as the file faces them.
  std::vector<std::uint32_t> outward;    ///< The body's, each once and facing outward.
  std::vector<std::uint32_t> whole;      ///< Of the whole surface, as `outward` is of the body.
  std::size_t sheet_count = 0;           ///< Separate thin sheets.
};

/// Finds the connected parts of the surface that are thin: flat or mostly rim as hair cards, skirts
/// and capes are, or closed about next to nothing. Their points get a SkinSurface::share of 0, as
/// do points of no triangle.
SolidSurface partThinSheets(SkinSurface& surface, int threads = 1);

}  // namespace clipmill
