// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/tet_bake/tets/lattice.h"

namespace clipmill::stages::tet_bake {

/// A tetrahedron that holds a piece of a wall between two parts (BodyPart::walls).
struct Portal {
  std::uint32_t wall = 0;      ///< Number of the wall's triangle.
  std::uint32_t grid_tet = 0;  ///< Number of the cell in the grid, the same in both parts.
  std::uint32_t tet = 0;
};

/// The lattice of one part.
struct FilledPart {
  Lattice lattice;
  std::vector<Portal> portals;
};

/// One lattice of all parts. Tetrahedra of two parts that hold the same piece of a wall are one;
/// others stay apart, even in the same cell. `point_count` of the surface.
Lattice joinParts(std::vector<FilledPart> parts, std::size_t point_count);

}  // namespace clipmill::stages::tet_bake
