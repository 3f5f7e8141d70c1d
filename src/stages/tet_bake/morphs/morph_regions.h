// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "anim/skeleton.h"
#include "scene/skin_surface.h"

namespace clipmill::stages::tet_bake {

/// The part of a surface that one joint bends.
struct MorphRegion {
  int node = 0;  ///< The joint, index in Skeleton::nodes; -1 for the whole surface.
  std::vector<std::uint32_t> points;  ///< Of the surface, ascending.
  /// How much of a point is the region's, one per point, 0..1. Those of all regions sum to 1 at
  /// every point that some joint bends, and fade from point to point: what is cut there opens no
  /// crack.
  std::vector<double> shares;
};

/// Splits the points among the joints that bend them: a point on two nodes belongs to the lower
/// one's joint (to that of the node they both hang on, where neither hangs on the other), others to
/// the nearest of these along the surface. Then shares are spread over the edges of the triangles.
/// Parts of the surface that follow one node each are in no region. In order of their nodes.
std::vector<MorphRegion> findRegions(const SkinSurface& surface, const Skeleton& skeleton);

/// All points as one region.
MorphRegion wholeRegion(const SkinSurface& surface);

}  // namespace clipmill::stages::tet_bake
