// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/math.h"
#include "stages/tet_bake/tets/bcc_grid.h"

namespace clipmill::stages::tet_bake {

/// The part of one triangle that lies in one tetrahedron of a grid.
struct SurfacePiece {
  std::uint32_t tet = 0;       ///< Number in the grid.
  std::uint32_t triangle = 0;  ///< Position among the triangles, not of its first index.
  std::uint8_t corners = 0;    ///< Bit i: corner i of the triangle is in the tetrahedron.
  std::uint8_t edges = 0;      ///< Bit i: some of the edge from corner i to corner i + 1 is.
  double area_share = 0.0;     ///< Of the triangle; 0 for triangles without area.
  Vec3 middle{0.0};            ///< A point of the piece, in weights of the triangle's corners.
  Vec3 middle_in_cubes{0.0};   ///< The same point, in cube coordinates.
};

/// Cuts triangles at the faces of the grid's tetrahedra: every point of the surface is in a piece.
/// Pieces are sorted by tetrahedron, then by triangle. The surface lies within the grid's cubes, at
/// least one cube from its border. `work_limit` bounds the number of tetrahedra that are looked at;
/// where it does not suffice the result is empty.
std::vector<SurfacePiece> cutSurface(const BccGrid& grid, std::span<const Vec3> positions,
                                     std::span<const std::uint32_t> triangles,
                                     std::size_t work_limit, int threads = 1);

}  // namespace clipmill::stages::tet_bake
