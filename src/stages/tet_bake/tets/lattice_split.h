// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/math.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/tets/bcc_grid.h"
#include "stages/tet_bake/tets/surface_pieces.h"
#include "stages/tet_bake/tets/tet_mesh.h"

namespace clipmill::stages::tet_bake {

/// The tetrahedra of a grid that a body needs, and what lies in each.
struct LatticeCells {
  std::vector<std::uint32_t> tets;         ///< Numbers in the grid, ascending.
  std::vector<SurfacePiece> pieces;        ///< Sorted by tetrahedron; all of them are in `tets`.
  std::vector<std::uint32_t> piece_start;  ///< Tetrahedron i has pieces [start[i], start[i + 1]).
  std::vector<char> is_interior;           ///< One per point of the grid.
};

/// Tetrahedra in which things that only happen to be near each other have corners of their own.
struct SplitLattice {
  std::vector<Vec3> positions;
  std::vector<Tet> tets;
  std::vector<SurfacePiece> pieces;         ///< As in LatticeCells, in another order within a cell.
  std::vector<std::uint32_t> tet_of_piece;  ///< In `tets`, one per piece.
  std::size_t doubled_tet_count = 0;        ///< More tetrahedra than cells.
  std::size_t doubled_corner_count = 0;     ///< More corners than positions.
};

/// Gives each cell one tetrahedron for every separate thing in it, and joins the tetrahedra of
/// neighbouring cells only where the same thing goes on: where they share a corner inside of the
/// body or a triangle. (The idea of virtual nodes: Molino, Bao and Fedkiw 2004.) Two patches of
/// surface in one cell are one thing where they hang together in it, where solid lies between
/// them, or where the same nodes move them: fingers and thighs come apart, a sleeve and its arm
/// stay together.
///
/// `triangles` of the surface that the pieces were cut from; `is_interior` returns whether a
/// position is well inside the body, not on its surface.
SplitLattice splitLattice(const BccGrid& grid, LatticeCells cells, const SkinSurface& surface,
                          std::span<const std::uint32_t> triangles,
                          const std::function<bool(const Vec3& position)>& is_interior,
                          int threads = 1);

}  // namespace clipmill::stages::tet_bake
