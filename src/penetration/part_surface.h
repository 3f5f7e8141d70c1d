// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/outward_surface.h"
#include "mesh/triangle_bvh.h"
#include "penetration/body_skin.h"

namespace clipmill::penetration {

/// Points where a surface winds about them more than this are within it.
inline constexpr double kInsideWinding = 0.5;

/// The surface of some parts of a body: the triangles with all corners in them, and a fan over each
/// hole where the skin continues in other parts, so that inside and outside are distinguished for
/// certain in every pose. Sheets that are not around anything (flat pieces of cloth) are not in it.
class PartSurface {
 public:
  /// `rest_m` are the positions of the skin's vertices at rest; `skin_surface` is its triangles
  /// made to face outward there.
  PartSurface(const BodySkin& skin, std::span<const Vec3> rest_m,
              const OutwardSurface& skin_surface, std::span<const humanoid::BodyPart> parts);

  bool empty() const { return closed_.empty(); }
  std::span<const humanoid::BodyPart> parts() const { return parts_; }

  /// The surface in a pose. Trees are fitted when they are first asked for.
  class Posed {
   public:
    explicit Posed(const PartSurface& surface)
        : surface_(&surface),
          closed_(surface.closed_),
          outer_(surface.outer_),
          box_(surface.closed_.box()) {}

    void move(std::span<const Vec3> skin_positions_m);
    /// Of all its vertices; known without fitting a tree.
    const Box& box() const { return box_; }
    /// With the fans; its winding numbers are whole.
    const TriangleBvh& closed();
    /// What can be seen of it at rest: without fans, and without what is inside of other pieces.
    const TriangleBvh& outer();

   private:
    const PartSurface* surface_;
    TriangleBvh closed_, outer_;
    std::vector<Vec3> positions_m_;
    Box box_;
    bool is_closed_stale_ = false, is_outer_stale_ = false;
  };

 private:
  void gather(std::span<const Vec3> skin_positions_m, std::vector<Vec3>& positions_m) const;

  std::vector<humanoid::BodyPart> parts_;
  std::vector<std::uint32_t> vertices_;           // of the skin
  std::vector<std::vector<std::uint32_t>> rims_;  // indices in vertices_
  TriangleBvh closed_, outer_;                    // of vertices_, then the middles of the rims
};

}  // namespace clipmill::penetration
