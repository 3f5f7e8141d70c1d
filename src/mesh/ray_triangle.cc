// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/ray_triangle.h"

namespace clipmill {
namespace {

constexpr double kOnEdge = 1e-9;  // of barycentric coordinates

}  // namespace

std::optional<RayHit> rayHit(const Vec3& origin, const Vec3& direction,
                             const std::array<Vec3, 3>& corners) {
  const Vec3 first = corners[1] - corners[0], second = corners[2] - corners[0];
  const Vec3 normal = glm::cross(direction, second);
  const double volume = glm::dot(first, normal);
  if (volume == 0.0) return std::nullopt;
  const Vec3 from = origin - corners[0];
  const Vec3 across = glm::cross(from, first);
  const double u = glm::dot(from, normal) / volume, v = glm::dot(direction, across) / volume;
  if (!(u >= -kOnEdge && v >= -kOnEdge && u + v <= 1.0 + kOnEdge)) return std::nullopt;
  const double distance = glm::dot(second, across) / volume;
  if (!(distance >= 0.0)) return std::nullopt;
  return RayHit{distance, Vec3(1.0 - u - v, u, v)};
}

}  // namespace clipmill
