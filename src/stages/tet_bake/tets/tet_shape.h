// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "stages/tet_bake/tets/material.h"
#include "stages/tet_bake/tets/tet_mesh.h"

/// One tetrahedron in double precision: volume, gradients, elastic energy.
namespace clipmill::stages::tet_bake {

using Corners = std::array<Vec3, 4>;

/// The face opposite of each corner: for corner a and its face o, six times the signed volume is
/// (o1 - o0) x (o2 - o0) . (a - o0).
inline constexpr std::array<std::array<std::size_t, 3>, 4> kOppositeFace = {
    {{1, 3, 2}, {0, 2, 3}, {3, 1, 0}, {2, 0, 1}}};

/// The pairs of corners that edges join.
inline constexpr std::array<std::array<std::size_t, 2>, 6> kTetEdges = {
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

Corners cornersOf(std::span<const Vec3> positions, const Tet& tet);

/// det(b-a, c-a, d-a) / 6.
double signedVolume(const Corners& x);

double longestEdge(const Corners& x);

/// Mean over the edges of a mesh that have a length, each counted once; 0 for none.
double meanEdge(const TetMesh& mesh);

/// Gradient of signedVolume() by each corner: a third of the area of the opposite face, along its
/// inward normal.
Corners volumeGradients(const Corners& x);

/// A tetrahedron at rest, for its energy.
struct ElasticTet {
  double volume = 0.0;
  /// By kTetEdges: -volume * (shape gradient a . shape gradient b), so that the integral of |F|^2
  /// is the sum of spring |x_a - x_b|^2.
  std::array<double, 6> springs{};
};

/// `rest` has a positive volume.
ElasticTet makeElasticTet(const Corners& rest);

/// Integral of Psi (material.h) minus that at rest, in units of mu times length^3; 0 at rest.
double elasticEnergy(const ElasticTet& tet, const Material& material, const Corners& x);

/// Its gradient by each corner.
Corners energyGradients(const ElasticTet& tet, const Material& material, const Corners& x);

}  // namespace clipmill::stages::tet_bake
