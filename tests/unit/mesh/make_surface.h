// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/math.h"
#include "core/portable_math.h"

/// Triangles of simple solids, outward, for the tests of what is inside of a surface.
namespace clipmill::test {

struct Surface {
  std::vector<Vec3> positions;
  std::vector<std::uint32_t> triangles;

  std::size_t triangleCount() const { return triangles.size() / 3; }
};

/// `a` and `b` side by side.
inline Surface together(Surface a, const Surface& b) {
  const auto offset = static_cast<std::uint32_t>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (const std::uint32_t index : b.triangles) a.triangles.push_back(offset + index);
  return a;
}

inline Surface rotatedInsideOut(Surface surface) {
  for (std::size_t i = 0; i < surface.triangles.size(); i += 3) {
    std::swap(surface.triangles[i + 1], surface.triangles[i + 2]);
  }
  return surface;
}

/// A tube about the y axis from `low` to `high`, open at both ends.
inline Surface tubeSurface(double radius, double low, double high, int sides = 24, int rings = 8) {
  Surface tube;
  for (int r = 0; r <= rings; ++r) {
    for (int s = 0; s < sides; ++s) {
      const double angle = 2.0 * kPi * s / sides;
      tube.positions.push_back(Vec3(radius * portable::cos(angle), low + (high - low) * r / rings,
                                    radius * portable::sin(angle)));
    }
  }
  const auto at = [&](int r, int s) { return static_cast<std::uint32_t>(r * sides + s % sides); };
  for (int r = 0; r < rings; ++r) {
    for (int s = 0; s < sides; ++s) {
      for (const std::uint32_t index :
           {at(r, s), at(r + 1, s), at(r, s + 1), at(r, s + 1), at(r + 1, s), at(r + 1, s + 1)}) {
        tube.triangles.push_back(index);
      }
    }
  }
  return tube;
}

/// A closed ball, with poles on the y axis.
inline Surface ballSurface(const Vec3& centre, double radius, int sides = 32, int rings = 16) {
  Surface ball = tubeSurface(1.0, 0.0, 1.0, sides, rings - 2);
  for (std::size_t i = 0; i < ball.positions.size(); ++i) {
    const int ring = static_cast<int>(i) / sides + 1;
    const double latitude = kPi * ring / rings;
    const Vec3 around(ball.positions[i].x, 0.0, ball.positions[i].z);
    ball.positions[i] =
        centre + radius * (around * portable::sin(latitude) - Vec3(0, portable::cos(latitude), 0));
  }
  const auto south = static_cast<std::uint32_t>(ball.positions.size()), north = south + 1;
  ball.positions.push_back(centre - Vec3(0, radius, 0));
  ball.positions.push_back(centre + Vec3(0, radius, 0));
  const auto last_ring = static_cast<std::uint32_t>(sides * (rings - 2));
  for (std::uint32_t s = 0; s < static_cast<std::uint32_t>(sides); ++s) {
    const std::uint32_t t = (s + 1) % static_cast<std::uint32_t>(sides);
    for (const std::uint32_t index : {south, s, t, north, last_ring + t, last_ring + s}) {
      ball.triangles.push_back(index);
    }
  }
  return ball;
}

inline Surface boxSurface(const Vec3& low, const Vec3& high) {
  Surface box;
  for (int i = 0; i < 8; ++i) {
    box.positions.push_back(
        Vec3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z));
  }
  box.triangles = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  return box;
}

}  // namespace clipmill::test
