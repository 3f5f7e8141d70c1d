// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/math.h"

namespace clipmill::stages::tet_bake {

/// A body-centred cubic lattice in a box: the corners of cubes and their centres. Its tetrahedra
/// are all congruent, with dihedral angles of 60 and 90 degrees: each has the centres of two cubes
/// that share a face, and an edge of that face.
///
/// Points and tetrahedra are numbered; nothing is stored for them. Positions in units of the cube's
/// edge from the low corner of the box are called cube coordinates.
class BccGrid {
 public:
  using Coordinates = std::array<int, 3>;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr int kTetsPerCube = 12;
  static constexpr int kTetsPerPoint = 24;
  static constexpr int kNeighboursPerPoint = 14;

  /// `cubes` along each axis, at least 1. kTetsPerCube times their number must stay below kNone.
  BccGrid(const Vec3& origin, double cell_m, const Coordinates& cubes);

  double cell_m() const { return cell_m_; }
  const Coordinates& cubes() const { return cubes_; }
  std::size_t pointCount() const { return corner_count_ + cube_count_; }
  /// Upper bound of the numbers of tetrahedra; those at the border have none to be.
  std::size_t tetCount() const { return cube_count_ * kTetsPerCube; }

  Vec3 toCubes(const Vec3& position) const { return (position - origin_) / cell_m_; }
  Vec3 fromCubes(const Vec3& in_cubes) const { return origin_ + in_cubes * cell_m_; }
  Vec3 positionOf(std::uint32_t point) const;

  /// The tetrahedron of the face at the low side, along `axis`, of a cube, on edge 0..3 of that
  /// face; kNone where one of its cubes is outside of the box.
  std::uint32_t tetAt(const Coordinates& cube, int axis, int edge) const;
  /// Its points: the centres of the lower and upper cube, then the ends of the edge. Their
  /// orientation is positive.
  std::array<std::uint32_t, 4> pointsOf(std::uint32_t tet) const;
  /// The tetrahedron beyond the face opposite to a corner; kNone outside of the box.
  std::uint32_t neighbourOf(std::uint32_t tet, int corner) const;

  /// Those that have the point; kNone for ones outside the box.
  std::array<std::uint32_t, kTetsPerPoint> tetsOf(std::uint32_t point) const;
  /// Points joined to this one by an edge; kNone for ones outside of the box.
  std::array<std::uint32_t, kNeighboursPerPoint> neighboursOfPoint(std::uint32_t point) const;

 private:
  struct TetPosition {
    Coordinates cube;
    int axis, edge;
  };
  TetPosition tetPositionOf(std::uint32_t tet) const;
  Coordinates cubeOf(std::size_t index) const;
  Coordinates halfSteps(std::uint32_t point) const;  // of cube coordinates: odd ones for centres
  std::uint32_t pointAt(const Coordinates& half_steps) const;
  std::uint32_t cornerAt(const Coordinates& corner) const;
  std::uint32_t centreOf(const Coordinates& cube) const;
  bool holds(const Coordinates& cube) const;
  bool holdsCorner(const Coordinates& corner) const;

  Vec3 origin_;
  double cell_m_;
  Coordinates cubes_;
  std::size_t cube_count_, corner_count_;
};

/// Barycentric coordinates in one tetrahedron of a cube as affine functions of cube coordinates
/// from the cube's low corner: coordinate k of p is dot(gradient[k], p) + offset[k].
struct BccBarycentric {
  std::array<Vec3, 4> gradient;
  std::array<double, 4> offset;

  std::array<double, 4> at(const Vec3& p) const {
    std::array<double, 4> b;
    for (std::size_t k = 0; k < 4; ++k) b[k] = glm::dot(gradient[k], p) + offset[k];
    return b;
  }
};

/// One for each axis and edge, at [axis * 4 + edge].
const std::array<BccBarycentric, BccGrid::kTetsPerCube>& bccBarycentrics();

}  // namespace clipmill::stages::tet_bake
