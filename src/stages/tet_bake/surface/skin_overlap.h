// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/triangle_bvh.h"
#include "scene/skin_surface.h"

namespace clipmill::stages::tet_bake {

/// How far a point of a surface is within another part of it.
struct Overlap {
  double depth_m = 0.0;  ///< 0 outside.
  Vec3 out{0.0};         ///< Unit vector to the nearest point of the other part's surface.
  /// The points about that one.
  std::array<std::uint32_t, 3> others{};
};

/// Where a surface is within itself: in the fold of an elbow, at the seat, an arm in the trunk. A
/// point is within another part where a ray from it along its normal leaves a solid before it
/// enters one; its depth is the distance to the nearest triangle that faces against that normal.
class SkinOverlap {
 public:
  /// Of no points.
  SkinOverlap() = default;

  /// `triangles` of the surface face outward.
  SkinOverlap(const SkinSurface& surface, std::span<const std::uint32_t> triangles);

  /// Whether a point is within another part in the bind pose, as a shoulder in the armour above it.
  bool isWithinAtRest(std::size_t point) const { return at_rest_[point] != 0; }

  /// One per point of the surface at `positions`. None for points without a share in corrections.
  std::vector<Overlap> measure(std::span<const Vec3> positions) const;

  /// The same in another pose, for the points alone that `other` has within another part. Those
  /// that are within the same part here are found sooner.
  std::vector<Overlap> measureThose(std::span<const Vec3> positions,
                                    std::span<const Overlap> other) const;

  /// The same after the points that `before` has within another part moved by less than their
  /// depth, for them alone. Cheaper: no rays.
  std::vector<Overlap> measureAgain(std::span<const Vec3> positions,
                                    std::span<const Overlap> before) const;

 private:
  class Pose;

  // overlap_at(pose, point) of the first point at each position, for all points there.
  template <class OverlapAt>
  std::vector<Overlap> measureEach(std::span<const Vec3> positions, OverlapAt overlap_at) const;

  std::vector<std::uint32_t> triangles_;
  std::vector<std::uint32_t> first_;  // of each point, the first one at its position
  std::vector<double> share_;         // of each point in corrections
  std::vector<char> at_rest_;
  TriangleBvh bvh_;
  double size_m_ = 0.0;
};

}  // namespace clipmill::stages::tet_bake
