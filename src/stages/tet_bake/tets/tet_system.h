// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result.h"
#include "stages/tet_bake/tets/tet_mesh.h"
#include "stages/tet_bake/tets/tet_shape.h"

/// Tetrahedra laid out for solvers. Lengths are in units of the mean edge at rest, so that no
/// result depends on the size of the body or its unit; the shear modulus is 1.
namespace clipmill::stages::tet_bake {

/// A tetrahedron with det(b-a, c-a, d-a) > 0 at rest.
struct SolidTet : ElasticTet {
  Tet corners{};
  double stiffness = 1.0;  ///< The shear modulus; springs have it.
  double firmness = 1.0;   ///< Lambda over the shear modulus, over that of the material.
};

/// Two corners that some tetrahedron joins.
struct TetEdge {
  std::array<std::uint32_t, 2> corners{};  ///< Ascending.
  double length = 0.0;
  double spring = 0.0;  ///< Sum of its tetrahedra's ElasticTet::springs.
};

struct TetSystem {
  double edge_m = 1.0;                 ///< The unit of length.
  std::size_t corner_count = 0;        ///< Of the mesh.
  std::vector<SolidTet> tets;          ///< In the mesh's order, without the flat ones.
  std::vector<TetEdge> edges;          ///< By corners, ascending.
  std::vector<double> hold;            ///< As TetMesh::hold; one per corner.
  std::vector<double> inverse_mass;    ///< 1 at mean_mass; 0 for fixed corners, ones without tets.
  double mean_mass = 0.0;              ///< A corner has a quarter of its tetrahedra's volume.
  std::vector<std::uint32_t> movable;  ///< Corners that the solvers move, ascending.
  double volume = 0.0;                 ///< Of all tetrahedra.
  std::size_t reoriented = 0;          ///< Tetrahedra given inside out.
  std::size_t flat = 0;                ///< Tetrahedra left out.

  bool isFixed(std::size_t corner) const;
};

/// Mean length of the edges at rest that have one, each counted once; 0 without any.
double meanEdge_m(const TetMesh& mesh);

/// Checks a mesh and lays it out. Tetrahedra that are inverted at rest are reoriented; those
/// without volume (less than 1e-5 of the cube of their longest edge, or shorter than 1e-4 of the
/// mean edge) are left out; both are counted.
/// Errors: an index or a hold out of range, a position that is not finite.
Result<TetSystem> makeTetSystem(const TetMesh& mesh);

/// Bytes that the arrays of a system take.
std::size_t bytesOf(const TetSystem& system);

}  // namespace clipmill::stages::tet_bake
