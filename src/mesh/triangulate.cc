// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/triangulate.h"

#include <numeric>

namespace clipmill {
namespace {

Vec3 areaVector(const Vec3& a, const Vec3& b, const Vec3& c) { return glm::cross(b - a, c - a); }

// Twice the area times the normal (Newell's sum).
Vec3 areaVector(std::span<const Vec3> polygon) {
  Vec3 sum(0.0);
  for (std::size_t i = 0; i + 2 < polygon.size(); ++i) {
    sum += areaVector(polygon[0], polygon[i + 1], polygon[i + 2]);
  }
  return sum;
}

void addQuad(std::span<const Vec3> p, std::vector<std::uint32_t>& corners) {
  const bool first_fits =
      glm::dot(areaVector(p[0], p[1], p[2]), areaVector(p[0], p[2], p[3])) > 0.0;
  const bool second_fits =
      glm::dot(areaVector(p[0], p[1], p[3]), areaVector(p[1], p[2], p[3])) > 0.0;
  const Vec3 first = p[2] - p[0], second = p[3] - p[1];
  const bool take_first =
      first_fits == second_fits ? glm::dot(first, first) <= glm::dot(second, second) : first_fits;
  if (take_first) {
    corners.insert(corners.end(), {0, 1, 2, 0, 2, 3});
  } else {
    corners.insert(corners.end(), {0, 1, 3, 1, 2, 3});
  }
}

bool contains(const Vec3& normal, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& point) {
  return glm::dot(areaVector(a, b, point), normal) >= 0.0 &&
         glm::dot(areaVector(b, c, point), normal) >= 0.0 &&
         glm::dot(areaVector(c, a, point), normal) >= 0.0;
}

bool isEar(std::span<const Vec3> polygon, const std::vector<std::uint32_t>& ring, std::size_t i,
           const Vec3& normal) {
  const std::size_t n = ring.size();
  const std::uint32_t ia = ring[(i + n - 1) % n], ib = ring[i], ic = ring[(i + 1) % n];
  const Vec3 &a = polygon[ia], &b = polygon[ib], &c = polygon[ic];
  if (!(glm::dot(areaVector(a, b, c), normal) > 0.0)) return false;
  for (const std::uint32_t other : ring) {
    if (other == ia || other == ib || other == ic) continue;
    const Vec3& p = polygon[other];
    if (p != a && p != b && p != c && contains(normal, a, b, c, p)) return false;
  }
  return true;
}

// Above this many corners the search for ears, which grows with their square, is replaced by a fan.
constexpr std::size_t kMaxEarCorners = 1024;

void addEars(std::span<const Vec3> polygon, std::vector<std::uint32_t>& corners) {
  const Vec3 normal = areaVector(polygon);
  std::vector<std::uint32_t> ring(polygon.size());
  std::iota(ring.begin(), ring.end(), 0u);
  while (ring.size() > 3) {
    std::size_t ear = 0;
    while (ear < ring.size() && !isEar(polygon, ring, ear, normal)) ++ear;
    if (ear == ring.size()) ear = 1;  // a polygon that crosses itself has no ears: cut any
    const std::size_t n = ring.size();
    corners.insert(corners.end(), {ring[(ear + n - 1) % n], ring[ear], ring[(ear + 1) % n]});
    ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  corners.insert(corners.end(), {ring[0], ring[1], ring[2]});
}

}  // namespace

void triangulate(std::span<const Vec3> polygon, std::vector<std::uint32_t>& corners) {
  if (polygon.size() < 3) return;
  if (polygon.size() == 3) {
    corners.insert(corners.end(), {0, 1, 2});
  } else if (polygon.size() == 4) {
    addQuad(polygon, corners);
  } else if (polygon.size() <= kMaxEarCorners) {
    addEars(polygon, corners);
  } else {
    for (std::uint32_t i = 1; i + 1 < polygon.size(); ++i) {
      corners.insert(corners.end(), {0, i, i + 1});
    }
  }
}

}  // namespace clipmill
