// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/skin_surface.h"

namespace clipmill::stages::tet_bake {

/// Unit normals of the points of a surface, by the area of its triangles; 0 where these have none.
/// Points at one position at rest have the same one: `first` has the first point at the position of
/// each (firstAtPosition()).
std::vector<Vec3> normalsAcrossSeams(std::span<const std::uint32_t> triangles,
                                     std::span<const std::uint32_t> first,
                                     std::span<const Vec3> positions);

/// A surface whose points slide along it. Keeps a reference to the surface.
class SlidingSurface {
 public:
  explicit SlidingSurface(const SkinSurface& surface);

  /// How far each point of a posed surface has to slide, metres, so that edges come near to their
  /// lengths at rest. The shape stays; so do open edges. Tangential relaxation: edges are
  /// constraints of length (M. Mueller et al., Position based dynamics, 2007, section 3.3),
  /// averaged per point, without what is along its normal.
  std::vector<Vec3> slides(std::span<const Vec3> positions) const;

 private:
  struct Edge {
    std::uint32_t a = 0, b = 0;
    double rest_m = 0.0;
  };

  const SkinSurface& surface_;
  std::vector<std::uint32_t> first_;  // of each point, the first one at its position
  std::vector<Edge> edges_;
  std::vector<double> steps_;  // by point: the part of the sum of its corrections that it moves by
};

}  // namespace clipmill::stages::tet_bake
