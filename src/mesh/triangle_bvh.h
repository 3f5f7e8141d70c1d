// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/math.h"

namespace clipmill {

/// An axis-aligned box; one with low > high holds nothing.
struct Box {
  Vec3 low{std::numeric_limits<double>::infinity()};
  Vec3 high{-std::numeric_limits<double>::infinity()};

  void add(const Vec3& point) {
    low = glm::min(low, point);
    high = glm::max(high, point);
  }
  void add(const Box& box) {
    low = glm::min(low, box.low);
    high = glm::max(high, box.high);
  }
  bool holds(const Vec3& p) const {
    return p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y &&
           p.z <= high.z;
  }
};

/// The point of a surface that is nearest to another point.
struct NearestPoint {
  double distance = std::numeric_limits<double>::infinity();  ///< Infinity: none within reach.
  Vec3 point{0.0};
  std::uint32_t triangle = 0;  ///< Position among the triangles, not of its first index.
  Vec3 barycentric{0.0};       ///< Of `point` in that triangle.
};

/// A tree of boxes over triangles whose vertices may move: built once, refit to every pose. Answers
/// are the same on every machine and do not depend on what was asked before. The triangles may be
/// an open, intersecting or non-manifold soup; those of no area count for distances only.
class TriangleBvh {
 public:
  TriangleBvh() = default;
  /// `triangles` has three indices in `positions` each. Positions are finite.
  TriangleBvh(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles);

  /// Moves the vertices: as many positions as at first.
  void refit(std::span<const Vec3> positions);

  bool empty() const { return triangles_.empty(); }
  const Box& box() const;

  /// The nearest point of the surface that is nearer than `reach`.
  NearestPoint nearest(const Vec3& point,
                       double reach = std::numeric_limits<double>::infinity()) const;

  /// The generalized winding number of the surface about `point`: 1 inside of a closed surface with
  /// outward triangles, 0 outside, and between them near the holes of an open one (Jacobson et al.
  /// 2013). Far clusters count by their dipole, as Barill et al. 2018 do it: within 0.01 of the sum
  /// over all triangles.
  double windingNumber(const Vec3& point) const;

 private:
  std::vector<std::uint32_t> triangles_;
};

}  // namespace clipmill
