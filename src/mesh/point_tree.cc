// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/point_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mesh/triangle_bvh.h"

namespace clipmill {
namespace {

constexpr std::size_t kLeafPoints = 4;

// Radii are this much larger than the farthest point, for rounding.
constexpr double kRounding = 1.0 + 1e-9;

}  // namespace

PointTree::PointTree(std::span<const Vec3> points)
    : points_(points.size()), sources_(points.size()) {
  std::iota(sources_.begin(), sources_.end(), 0u);
  if (!points.empty()) addBall(points, 0, points.size());
  refit(points);
}

// Halves along the longest side of the box.
void PointTree::addBall(std::span<const Vec3> points, std::size_t start, std::size_t end) {
  const std::size_t self = balls_.size();
  balls_.emplace_back();
  balls_[self].first = static_cast<std::uint32_t>(start);
  balls_[self].count = static_cast<std::uint32_t>(end - start);
  balls_[self].is_leaf = end - start <= kLeafPoints;
  if (!balls_[self].is_leaf) {
    Box box;
    for (std::size_t i = start; i < end; ++i) box.add(points[sources_[i]]);
    const Vec3 d = box.high - box.low;
    const int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
    std::stable_sort(
        sources_.begin() + static_cast<std::ptrdiff_t>(start),
        sources_.begin() + static_cast<std::ptrdiff_t>(end),
        [&](std::uint32_t a, std::uint32_t b) { return points[a][axis] < points[b][axis]; });
    const std::size_t middle = start + (end - start) / 2;
    addBall(points, start, middle);
    addBall(points, middle, end);
  }
  balls_[self].next = static_cast<std::uint32_t>(balls_.size());
}

void PointTree::refit(std::span<const Vec3> points) {
  for (std::size_t i = 0; i < points_.size(); ++i) points_[i] = points[sources_[i]];
  for (Ball& ball : balls_) {
    Box box;
    const std::span<const Vec3> own = std::span(points_).subspan(ball.first, ball.count);
    for (const Vec3& point : own) box.add(point);
    ball.centre = 0.5 * (box.low + box.high);
    double square = 0.0;
    for (const Vec3& point : own) {
      const Vec3 d = point - ball.centre;
      square = std::max(square, glm::dot(d, d));
    }
    ball.radius = std::sqrt(square) * kRounding;
  }
}

}  // namespace clipmill
