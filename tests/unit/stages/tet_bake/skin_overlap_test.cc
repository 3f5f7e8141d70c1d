// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/skin_overlap.h"

#include <algorithm>

#include "checks.h"

TEST_SUITE_BEGIN("tet_bake.skin_overlap");

namespace {

using namespace clipmill;
using clipmill::test::nearTo;
using namespace clipmill::stages::tet_bake;

constexpr std::uint32_t kCells = 10;

// The faces of a cube of 1 m, outward, in squares of 0.1 m; each face has points of its own.
void addCube(const Vec3& low, SkinSurface& surface) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {0.0, 1.0}) {
      const auto start = static_cast<std::uint32_t>(surface.positions.size());
      for (std::uint32_t i = 0; i <= kCells; ++i) {
        for (std::uint32_t j = 0; j <= kCells; ++j) {
          Vec3 at(0.0);
          at[axis] = side;
          at[(axis + 1) % 3] = static_cast<double>(i) / kCells;
          at[(axis + 2) % 3] = static_cast<double>(j) / kCells;
          surface.positions.push_back(low + at);
        }
      }
      for (std::uint32_t i = 0; i < kCells; ++i) {
        for (std::uint32_t j = 0; j < kCells; ++j) {
          const std::uint32_t a = start + i * (kCells + 1) + j, b = a + kCells + 1;
          for (std::uint32_t p : {a, b, b + 1, a, b + 1, a + 1}) surface.triangles.push_back(p);
          if (side > 0.0) continue;
          const std::size_t end = surface.triangles.size();
          std::swap(surface.triangles[end - 5], surface.triangles[end - 4]);
          std::swap(surface.triangles[end - 2], surface.triangles[end - 1]);
        }
      }
    }
  }
}

// The second cube is 0.5 m beside the first one along x, 0.05 m higher and 0.05 m behind it.
SkinSurface twoCubes() {
  SkinSurface surface;
  addCube(Vec3(0.0), surface);
  addCube(Vec3(1.5, 0.05, 0.05), surface);
  surface.share.assign(surface.positions.size(), 1.0);
  return surface;
}

std::vector<Vec3> secondMoved(const SkinSurface& surface, double along_x_m) {
  std::vector<Vec3> posed = surface.positions;
  for (std::size_t p = posed.size() / 2; p < posed.size(); ++p) posed[p].x += along_x_m;
  return posed;
}

bool isIn(const Vec3& p, const Vec3& low) {
  const Vec3 from = p - low;
  return std::min({from.x, from.y, from.z}) > 1e-6 &&
         std::max({from.x, from.y, from.z}) < 1.0 - 1e-6;
}

}  // namespace

TEST_CASE("Cubes beside each other have no point within the other") {
  const SkinSurface surface = twoCubes();
  const SkinOverlap overlap(surface, surface.triangles);
  for (const Overlap& point : overlap.measure(surface.positions)) CHECK(point.depth_m == 0.0);
}

TEST_CASE("Faces of overlapping cubes are as far within the other cube as the cubes overlap") {
  const SkinSurface surface = twoCubes();
  const SkinOverlap overlap(surface, surface.triangles);
  constexpr double kDepth_m = 0.03;
  const std::vector<Vec3> posed = secondMoved(surface, -0.5 - kDepth_m);
  const std::vector<Overlap> found = overlap.measure(posed);
  std::size_t count = 0;
  for (std::size_t p = 0; p < posed.size(); ++p) {
    const bool is_first = p < posed.size() / 2;
    // Inner points of the two faces that are within the other cube.
    const bool is_face = std::abs(posed[p].x - (is_first ? 1.0 : 1.0 - kDepth_m)) < 1e-9;
    if (!is_face || !isIn(posed[p], is_first ? Vec3(1.0 - kDepth_m, 0.05, 0.05) : Vec3(0.0)))
      continue;
    if (std::min({posed[p].y, posed[p].z}) < 0.1 || std::max({posed[p].y, posed[p].z}) > 0.9)
      continue;
    ++count;
    CHECK(found[p].depth_m == nearTo(kDepth_m, 1e-9));
    CHECK(distance(found[p].out, Vec3(is_first ? -1.0 : 1.0, 0.0, 0.0)) <= 1e-9);
  }
  CHECK(count > 100);
  SUBCASE("After a step of half of the depth it is half as far") {
    const std::vector<Vec3> moved = secondMoved(surface, -0.5 - 0.5 * kDepth_m);
    const std::vector<Overlap> again = overlap.measureAgain(moved, found);
    for (std::size_t p = 0; p < posed.size(); ++p) {
      const bool is_inner =
          std::min({posed[p].y, posed[p].z}) > 0.1 && std::max({posed[p].y, posed[p].z}) < 0.9;
      if (is_inner && found[p].depth_m > 0.0) {
        CHECK(again[p].depth_m == nearTo(0.5 * kDepth_m, 1e-9));
      }
    }
  }
  SUBCASE("After a step out of the other cube no point is within it") {
    for (const Overlap& point : overlap.measureAgain(secondMoved(surface, -0.49), found)) {
      CHECK(point.depth_m == 0.0);
    }
  }
}

TEST_CASE("Points without a share in corrections, and those not asked for, are not measured") {
  SkinSurface surface = twoCubes();
  std::fill(surface.share.begin(), surface.share.begin() + 100, 0.0);
  const SkinOverlap overlap(surface, surface.triangles);
  const std::vector<Vec3> posed = secondMoved(surface, -0.53);
  const std::vector<Overlap> all = overlap.measure(posed);
  for (std::size_t p = 0; p < 100; ++p) CHECK(all[p].depth_m == 0.0);
  std::vector<Overlap> other = overlap.measure(secondMoved(surface, -0.55));
  std::fill(other.begin() + static_cast<std::ptrdiff_t>(other.size() / 2), other.end(), Overlap{});
  const std::vector<Overlap> some = overlap.measureThose(posed, other);
  std::size_t count = 0;
  for (std::size_t p = 0; p < posed.size(); ++p) {
    const double wanted_m = other[p].depth_m > 0.0 ? all[p].depth_m : 0.0;
    CHECK(some[p].depth_m == wanted_m);
    count += wanted_m > 0.0 ? 1 : 0;
  }
  CHECK(count > 10);
}

TEST_CASE("What is within other skin at rest is known") {
  SkinSurface surface = twoCubes();
  for (std::size_t p = surface.positions.size() / 2; p < surface.positions.size(); ++p) {
    surface.positions[p].x -= 0.53;
  }
  const SkinOverlap overlap(surface, surface.triangles);
  const std::vector<Overlap> rest = overlap.measure(surface.positions);
  std::size_t count = 0;
  for (std::size_t p = 0; p < rest.size(); ++p) {
    CHECK(overlap.isWithinAtRest(p) == (rest[p].depth_m > 0.0));
    count += overlap.isWithinAtRest(p) ? 1 : 0;
  }
  CHECK(count > 100);
}

TEST_SUITE_END();
