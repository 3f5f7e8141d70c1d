// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/math.h"

namespace clipmill {

/// A tree of balls over points that move: a test of a ball replaces tests of its points.
class PointTree {
 public:
  /// Depth first: the first half of a ball is the next one, the second that one's `next`.
  struct Ball {
    Vec3 centre{0.0};
    double radius = 0.0;      ///< No point of it is farther from the centre.
    std::uint32_t first = 0;  ///< Of its points in points().
    std::uint32_t count = 0;
    std::uint32_t next = 0;  ///< The next ball after this one and all in it.
    bool is_leaf = false;
  };

  PointTree() = default;
  /// Of finite points.
  explicit PointTree(std::span<const Vec3> points);

  /// Moves the points: as many as at first.
  void refit(std::span<const Vec3> points);

  const std::vector<Ball>& balls() const { return balls_; }
  /// In the order of the tree.
  const std::vector<Vec3>& points() const { return points_; }
  /// Of every point in that order, which of the given ones it is.
  const std::vector<std::uint32_t>& sources() const { return sources_; }

 private:
  void addBall(std::span<const Vec3> points, std::size_t start, std::size_t end);

  std::vector<Ball> balls_;
  std::vector<Vec3> points_;
  std::vector<std::uint32_t> sources_;
};

}  // namespace clipmill
