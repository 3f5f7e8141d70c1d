// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "anim/skeleton.h"
#include "core/math.h"
#include "scene/skin_surface.h"

namespace clipmill::stages::tet_bake {

/// A node that moves skin, as a bone inside the skin. In the bind pose, metric world.
struct BakeBone {
  bool moves_skin = false;
  /// From the node's position to those of the next nodes below it that move skin; where there is
  /// none, to as far as the skin that follows it most reaches.
  std::vector<std::pair<Vec3, Vec3>> segments;
  double area_m2 = 0.0;  ///< Of the skin that follows this node most.
  /// Mean distance of that skin from the segments: half the thickness of a round limb. A node that
  /// no skin follows most has that of the node above it.
  double radius_m = 0.0;

  /// The nearest point of the segments; none where there is no segment.
  std::optional<Vec3> nearestPoint(const Vec3& point) const;
  double distanceTo(const Vec3& point) const;  ///< From the segments; infinity where there is none.
};

/// One per node of the skeleton.
std::vector<BakeBone> findBones(const SkinSurface& surface, const Skeleton& skeleton);

/// The next node above `node` that moves skin, -1 for none.
int skinnedAbove(const Skeleton& skeleton, const std::vector<BakeBone>& bones, std::size_t node);

/// Thickness of the thinnest limb, metres: twice the smallest radius of all bones that have their
/// part of the whole skin (2 %). 0 where there is no such bone.
double thinnestLimb_m(const std::vector<BakeBone>& bones);

/// One third of the area of the triangles at each point, square metres.
std::vector<double> pointAreas(const SkinSurface& surface);

}  // namespace clipmill::stages::tet_bake
