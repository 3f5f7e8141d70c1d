// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/outward_surface.h"
#include "mesh/triangle_bvh.h"

namespace clipmill {

/// Points where a surface winds about them more than this are within it.
inline constexpr double kInsideWinding = 0.5;

/// Whether a triangle of `surface` belongs to a piece that is around something, and not to a sheet
/// (a flat piece of cloth).
bool isAroundSomething(const OutwardSurface& surface, std::size_t triangle);

/// Triangles that face outward, and a fan over each hole, so that inside and outside are
/// distinguished for certain in every pose.
class ClosedSurface {
 public:
  ClosedSurface() = default;
  /// `triangles`: three indices each in `rest_m`, facing outward (see orientOutward). What can be
  /// seen of them is decided at rest.
  ClosedSurface(std::span<const Vec3> rest_m, std::vector<std::uint32_t> triangles);

  bool empty() const { return closed_.empty(); }
  /// The corners of a triangle of outer(), as indices in the positions.
  std::array<std::uint32_t, 3> outerCorners(std::uint32_t triangle) const;

  /// The surface in a pose. Trees are fitted when they are first asked for.
  class Posed {
   public:
    explicit Posed(const ClosedSurface& surface)
        : surface_(&surface),
          closed_(surface.closed_),
          outer_(surface.outer_),
          box_(surface.closed_.box()) {}

    /// As many positions as at rest.
    void move(std::span<const Vec3> positions_m);
    /// Of all its vertices; known without fitting a tree.
    const Box& box() const { return box_; }
    /// With the fans; its winding numbers are whole.
    const TriangleBvh& closed();
    /// What can be seen of it at rest: without fans, and without what is inside of other pieces.
    const TriangleBvh& outer();
    /// Of a triangle of outer(), of unit length; zero for one without area. After move().
    Vec3 outerNormal(std::uint32_t triangle) const;

   private:
    const ClosedSurface* surface_;
    TriangleBvh closed_, outer_;
    std::vector<Vec3> positions_m_;
    Box box_;
    bool is_closed_stale_ = false, is_outer_stale_ = false;
  };

 private:
  void gather(std::span<const Vec3> positions_m, std::vector<Vec3>& own_m) const;

  std::vector<std::uint32_t> vertices_;           // of the positions
  std::vector<std::vector<std::uint32_t>> rims_;  // indices in vertices_
  std::vector<std::uint32_t> outer_triangles_;    // indices in vertices_
  TriangleBvh closed_, outer_;                    // of vertices_, then the middles of the rims
};

}  // namespace clipmill
