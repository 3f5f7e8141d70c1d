// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/bcc_grid.h"

#include <algorithm>
#include <set>
#include <vector>

#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("tet_bake.bcc_grid");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

namespace {

BccGrid smallGrid() { return BccGrid(Vec3(1, -2, 3), 0.5, {4, 3, 5}); }

// All tetrahedra that exist.
std::vector<std::uint32_t> tetsOfGrid(const BccGrid& grid) {
  std::vector<std::uint32_t> tets;
  const auto [nx, ny, nz] = grid.cubes();
  for (int x = 0; x < nx; ++x) {
    for (int y = 0; y < ny; ++y) {
      for (int z = 0; z < nz; ++z) {
        for (int axis = 0; axis < 3; ++axis) {
          for (int edge = 0; edge < 4; ++edge) {
            const std::uint32_t tet = grid.tetAt({x, y, z}, axis, edge);
            if (tet != BccGrid::kNone) tets.push_back(tet);
          }
        }
      }
    }
  }
  return tets;
}

double volume(const BccGrid& grid, std::uint32_t tet) {
  const auto points = grid.pointsOf(tet);
  const Vec3 a = grid.positionOf(points[0]);
  return glm::determinant(Mat3(grid.positionOf(points[1]) - a, grid.positionOf(points[2]) - a,
                               grid.positionOf(points[3]) - a)) /
         6.0;
}

}  // namespace

TEST_CASE("all tetrahedra are a twelfth of a cube and face alike") {
  const BccGrid grid = smallGrid();
  for (const std::uint32_t tet : tetsOfGrid(grid)) {
    CHECK(volume(grid, tet) == test::nearTo(0.125 / 12.0, 1e-12));
  }
}

TEST_CASE("inner cubes are filled without gap or overlap") {
  // A point in general position is in just one tetrahedron, by the coordinates of all.
  const BccGrid grid = smallGrid();
  for (const Vec3& p : {Vec3(1.31, 1.47, 2.83), Vec3(2.63, 1.2, 3.44), Vec3(1.9, 1.55, 1.27)}) {
    int holders = 0;
    for (const std::uint32_t tet : tetsOfGrid(grid)) {
      const Vec3 cube = grid.toCubes(grid.positionOf(grid.pointsOf(tet)[1])) - Vec3(0.5);
      const auto b = bccBarycentrics()[tet % BccGrid::kTetsPerCube].at(p - cube);
      CHECK(b[0] + b[1] + b[2] + b[3] == doctest::Approx(1.0));
      if (*std::min_element(b.begin(), b.end()) <= 0.0) continue;
      ++holders;
      Vec3 back(0.0);
      for (std::size_t k = 0; k < 4; ++k) {
        back += b[k] * grid.toCubes(grid.positionOf(grid.pointsOf(tet)[k]));
      }
      CHECK(test::distance(back, p) < 1e-12);
    }
    CHECK(holders == 1);
  }
}

TEST_CASE("neighbours share the face opposite to the corner and know each other") {
  const BccGrid grid = smallGrid();
  int pairs = 0;
  for (const std::uint32_t tet : tetsOfGrid(grid)) {
    const auto points = grid.pointsOf(tet);
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t neighbour = grid.neighbourOf(tet, k);
      if (neighbour == BccGrid::kNone) continue;
      ++pairs;
      const auto others = grid.pointsOf(neighbour);
      int back = -1;
      for (int m = 0; m < 4; ++m) {
        const bool is_shared =
            std::find(points.begin(), points.end(), others[toSize(m)]) != points.end();
        if (!is_shared) {
          CHECK(back == -1);
          back = m;
        }
      }
      REQUIRE(back >= 0);
      const auto own = points[toSize(k)];
      CHECK(std::find(others.begin(), others.end(), own) == others.end());
      CHECK(grid.neighbourOf(neighbour, back) == tet);
    }
  }
  CHECK(pairs > 1000);
}

TEST_CASE("the tetrahedra of a point are those that have it") {
  const BccGrid grid = smallGrid();
  const std::vector<std::uint32_t> all = tetsOfGrid(grid);
  std::vector<std::set<std::uint32_t>> expected(grid.pointCount()), around(grid.pointCount());
  for (const std::uint32_t tet : all) {
    const auto points = grid.pointsOf(tet);
    for (const std::uint32_t point : points) {
      expected[point].insert(tet);
      around[point].insert(points.begin(), points.end());
    }
  }
  for (std::uint32_t point = 0; point < grid.pointCount(); ++point) {
    const auto tets = grid.tetsOf(point);
    std::set<std::uint32_t> found(tets.begin(), tets.end());
    found.erase(BccGrid::kNone);
    CHECK(found == expected[point]);
    if (found.size() < toSize(BccGrid::kTetsPerPoint)) continue;
    const auto neighbours = grid.neighboursOfPoint(point);
    std::set<std::uint32_t> joined(neighbours.begin(), neighbours.end());
    around[point].erase(point);
    CHECK(joined == around[point]);
  }
}

TEST_SUITE_END();
