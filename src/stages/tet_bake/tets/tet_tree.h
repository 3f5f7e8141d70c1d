// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/math.h"
#include "mesh/triangle_bvh.h"
#include "stages/tet_bake/tets/tet_mesh.h"

namespace clipmill::stages::tet_bake {

/// Finds which tetrahedron holds a point. Tetrahedra may overlap and have any orientation; those
/// without volume hold nothing.
class TetTree {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  explicit TetTree(const TetMesh& mesh);

  bool empty() const { return nodes_.empty(); }
  bool hasVolume(std::uint32_t tet) const { return has_volume_[tet] != 0; }
  /// Barycentric coordinates of any point in a tetrahedron that has a volume; they sum to 1.
  std::array<double, 4> barycentric(std::uint32_t tet, const Vec3& point) const;
  /// The tetrahedron whose least barycentric coordinate of the point is largest, if that is not
  /// below 0 (but for rounding); of equal ones the first.
  std::uint32_t find(const Vec3& point) const;

 private:
  struct Node {
    Box box;
    std::uint32_t first = 0, count = 0;  // of its tetrahedra in order_; count 0: has children
    std::uint32_t second_child = 0;      // the first follows the node
  };

  std::uint32_t build(std::uint32_t first, std::uint32_t count, const std::vector<Box>& boxes);

  std::vector<Vec3> origin_;         // the first corner of each
  std::vector<Mat3> from_position_;  // to the last three barycentric coordinates
  std::vector<char> has_volume_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace clipmill::stages::tet_bake
