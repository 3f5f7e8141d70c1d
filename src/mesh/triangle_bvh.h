// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/math.h"
#include "mesh/far_solid_angle.h"

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
  /// Square of the distance to the nearest point of the box: 0 inside, infinity for no box. The
  /// inner loop of searches, where compilers leave it out of line.
  [[gnu::always_inline]] double squareDistanceTo(const Vec3& p) const {
    const double x = std::max({low.x - p.x, p.x - high.x, 0.0});
    const double y = std::max({low.y - p.y, p.y - high.y, 0.0});
    const double z = std::max({low.z - p.z, p.z - high.z, 0.0});
    return x * x + y * y + z * z;
  }
};

/// The point of a surface that is nearest to another point.
struct NearestPoint {
  double distance = std::numeric_limits<double>::infinity();  ///< Infinity: none within reach.
  Vec3 point{0.0};
  std::uint32_t triangle = 0;  ///< Position among the triangles, not of its first index.
  Vec3 barycentric{0.0};       ///< Of `point` in that triangle.
};

/// A tree of boxes over triangles whose vertices may move: built once, refit to every pose. Results
/// are the same on every machine and do not depend on earlier queries. The triangles may be
/// an open, intersecting or non-manifold set; those of no area count for distances only. Safe to
/// ask from several threads while none refits it.
class TriangleBvh {
 public:
  TriangleBvh() = default;
  /// The queries of a tree: those of distances and rays; these and nearestFacing(); or all but
  /// nearestFacing(), which takes four times as long to fit as the first.
  enum class Use { kAll, kDistances, kFacing };

  /// `triangles` has three indices in `positions` each. Positions are finite.
  TriangleBvh(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles,
              Use use = Use::kAll);

  /// Moves the vertices: as many positions as at first. What does not move takes no time; the
  /// result is that of a tree that was fitted to these positions alone.
  void refit(std::span<const Vec3> positions);

  bool empty() const { return corners_.empty(); }
  std::size_t triangleCount() const { return corners_.size(); }
  /// Of all triangles; holds nothing where there are none.
  const Box& box() const { return box_; }

  /// The nearest point of the surface that is nearer than `reach`. Where some point is no farther
  /// than `enough` that one may be returned instead: it is found sooner, for a search for the
  /// point that is farthest in.
  NearestPoint nearest(const Vec3& point, double reach = std::numeric_limits<double>::infinity(),
                       double enough = -1.0) const;
  /// The same among triangles that face against `normal`: their normal and it have a negative
  /// product. Of a tree for facing.
  NearestPoint nearestFacing(const Vec3& point, const Vec3& normal, double reach) const;
  /// Whether the first triangle that a ray meets is met from behind, so that the ray leaves a solid
  /// there. False for a ray that meets none.
  bool leavesSolid(const Vec3& origin, const Vec3& direction) const;
  /// Whether some point of the surface is nearer than `reach`; cheaper than nearest().
  bool isNear(const Vec3& point, double reach) const;

  /// The generalized winding number of the surface about `point`: 1 inside of a closed surface with
  /// outward triangles, 0 outside, and between them near the holes of an open one (Jacobson et al.
  /// 2013). Far clusters count by the first terms of their expansion, as Barill et al. 2018 do
  /// it: within 0.01 of the sum over all triangles. Of a tree for all.
  double windingNumber(const Vec3& point) const;

 private:
  using Corners = std::array<Vec3, 3>;

  // Depth first: the first child of a node is the next one, the second that one's `next`.
  struct Node {
    Box box;
    std::uint32_t first = 0;  // of its triangles
    std::uint32_t count = 0;  // of triangles; 0 for a node with children
    std::uint32_t next = 0;   // behind the node and all below it
  };

  class Builder;

  template <class Accepts, class MayHold>
  NearestPoint nearestOf(const Vec3& point, double reach, double enough, const Accepts& accepts,
                         const MayHold& may_hold) const;
  bool moveLeaf(const Node& leaf, std::span<const Vec3> positions);
  void fit(std::size_t index);
  void fitBox(std::size_t index);
  void fitFar(std::size_t index);
  void fitCrosses(std::size_t index);

  std::vector<std::uint32_t> indices_;   // three a triangle, in the order of the leaves
  std::vector<std::uint32_t> triangle_;  // index of the triangle among those that were given
  std::vector<Corners> corners_;
  std::vector<char> is_moved_;  // one a node: of the last refit
  std::vector<Node> nodes_;
  std::vector<FarSolidAngle> far_;      // one a node
  std::vector<double> opening_square_;  // one a node: who is nearer must look at the parts
  std::vector<Vec3> crosses_;           // one a triangle: its normal, of twice its area
  std::vector<Box> cross_boxes_;        // one a node: of the crosses of its triangles
  Box box_;
  Use use_ = Use::kAll;
};

}  // namespace clipmill
