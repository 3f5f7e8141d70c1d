// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/math.h"

namespace clipmill {

/// A surface of which each connected component faces outward, so that a winding number above a half
/// means inside.
struct OutwardSurface {
  std::vector<std::uint32_t> triangles;  ///< Three indices each in the given positions.
  std::vector<std::uint32_t> source;     ///< One a triangle: its index among the given ones.
  std::vector<std::uint32_t> component;  ///< One a triangle.
  /// One a component: how much of a solid it is, twice the mean winding number on it. 1 for a
  /// closed one, 0 for a flat sheet, between them with holes.
  std::vector<double> fullness;
  std::size_t dropped_count = 0;  ///< Without area, or on another that has the same three corners.
  std::size_t flipped_count = 0;  ///< With another orientation than in the file.

  std::size_t triangleCount() const { return source.size(); }
};

/// Orients the triangles of a file: vertices with the same position count as one, of
/// triangles with the same corners (both sides of a sheet) the first stays. Components are joined
/// along edges. Where two triangles meet at an edge they are made to face alike; where more meet,
/// as the file has it. Then each component faces as most of its triangles did, unless it winds
/// about its inside with the wrong sign; a flat one stays as it is. Positions are finite; there may
/// be nothing. The same for any number of threads.
OutwardSurface orientOutward(std::span<const Vec3> positions,
                             std::span<const std::uint32_t> triangles, int threads = 1);

/// Triangles that close a surface.
struct HoleCaps {
  /// Three indices each: in the positions, or behind them for the middle of a rim.
  std::vector<std::uint32_t> triangles;
  std::vector<std::vector<std::uint32_t>> rims;  ///< Indices in the positions, one set a middle.

  /// The mean of the positions of a rim.
  static Vec3 middleOf(std::span<const std::uint32_t> rim, std::span<const Vec3> positions);
};

/// A fan over each hole, from the mean of its rim: with them every edge is passed as often in one
/// direction as the other, in this pose and in all others, so that winding numbers are whole.
/// Vertices at one position count as one.
HoleCaps capHoles(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles);

}  // namespace clipmill
