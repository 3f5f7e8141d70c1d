// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "mesh/closed_surface.h"
#include "mesh/outward_surface.h"
#include "penetration/body_skin.h"

namespace clipmill::penetration {

/// The surface of some parts of a body: the triangles with all corners in them, and a fan over each
/// hole where the skin continues in other parts. Sheets that are not around anything (flat pieces
/// of cloth) are not in it.
class PartSurface {
 public:
  /// `rest_m` are the positions of the skin's vertices at rest; `skin_surface` is its triangles
  /// made to face outward there.
  PartSurface(const BodySkin& skin, std::span<const Vec3> rest_m,
              const OutwardSurface& skin_surface, std::span<const humanoid::BodyPart> parts);

  bool empty() const { return surface_.empty(); }
  std::span<const humanoid::BodyPart> parts() const { return parts_; }

  /// The surface in a pose of the skin; see ClosedSurface::Posed.
  class Posed : public ClosedSurface::Posed {
   public:
    explicit Posed(const PartSurface& surface) : ClosedSurface::Posed(surface.surface_) {}
  };

 private:
  std::vector<humanoid::BodyPart> parts_;
  ClosedSurface surface_;
};

}  // namespace clipmill::penetration
