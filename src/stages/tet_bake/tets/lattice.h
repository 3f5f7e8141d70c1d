// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/math.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/surface/bones.h"
#include "stages/tet_bake/tets/tet_mesh.h"

namespace clipmill::stages::tet_bake {

/// Resolution of the lattice.
struct LatticeOptions {
  double cell_m = 0.0;  ///< Edge of a cube of the grid; 0 for a quarter of the thinnest limb.
  std::size_t min_tets = 10000;  ///< What cell_m = 0 aims at, where the limbs would do with less.
  std::size_t max_tets = 30000;  ///< Never more, or the cells are made larger.
  int threads = 1;               ///< The result has the same bits for any number.
  /// Of each node the next one up that moves skin, -1 for none: limbs that are near each other get
  /// tetrahedra of their own (partLimbs()). Empty: none do.
  std::vector<int> node_above = {};
};

/// A point of the surface in a tetrahedron, with the surface area that it represents. Between
/// them they cover the surface of the body.
struct SurfaceSample {
  std::uint32_t tet = 0;
  std::array<double, 4> weights{};        ///< Barycentric, in the tetrahedron.
  std::array<std::uint32_t, 3> points{};  ///< Of the triangle.
  std::array<double, 3> point_weights{};  ///< Barycentric, in the triangle.
  double area_m2 = 0.0;
};

/// Tetrahedra that fill a surface, cover all of it, and do not join what only happens to be near.
struct Lattice {
  TetMesh mesh;  ///< Positions and tetrahedra; bindTets() sets influences and hold.
  double cell_m = 0.0;
  std::vector<Embedding> embeddings;   ///< One per point; all zero where SkinSurface::share is 0.
  std::vector<SurfaceSample> samples;  ///< In order of their tetrahedra.
  /// Share of a point's position that its tetrahedron gives: less than 1 where bones are too thin
  /// for the cells (cellShares()). The rest is that of dual quaternion skinning. Empty for all 1.
  std::vector<double> cell_shares;
  /// Those of the whole surface, each once and facing outward (orientOutward()).
  std::vector<std::uint32_t> outward_triangles;
  std::size_t sheet_count = 0;        ///< Thin sheets that were left out.
  std::size_t doubled_tet_count = 0;  ///< Tetrahedra beside another one in the same cell.
  std::size_t part_count = 0;         ///< Bodies, and limbs with tetrahedra of their own.
};

/// Fills the body with a body-centred cubic lattice: a cell is kept where a corner of it is inside
/// (the surface winds about it by more than a half) or the surface passes through it. Thin sheets
/// are left out and marked: `surface.share` becomes 0 there. Counts cells that had to be larger
/// than asked for in `warnings`. The result scales with the surface. Error: kUnsupported where
/// nothing has a volume.
Result<Lattice> makeLattice(SkinSurface& surface, const std::vector<BakeBone>& bones,
                            const LatticeOptions& options, Warnings& warnings);

}  // namespace clipmill::stages::tet_bake
