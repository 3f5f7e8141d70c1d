// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/tet_system.h"

#include <cmath>
#include <limits>

#include "checks.h"
#include "stages/tet_bake/limb.h"

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using clipmill::test::LimbShape;
using clipmill::test::makeLimb;

namespace {

TetMesh cubeCorner() {
  TetMesh mesh;
  mesh.positions = {Vec3(0), Vec3(2, 0, 0), Vec3(0, 2, 0), Vec3(0, 0, 2)};
  mesh.tets = {{0, 1, 2, 3}};
  mesh.hold.assign(4, 0.0);
  return mesh;
}

}  // namespace

TEST_SUITE("tet_bake: tetrahedra laid out") {
  TEST_CASE("lengths are in mean edges") {
    const auto system = makeTetSystem(cubeCorner());
    CHECK_OK(system);
    const double edge_m = (3 * 2.0 + 3 * 2.0 * std::sqrt(2.0)) / 6.0;
    CHECK(system->edge_m == doctest::Approx(edge_m));
    CHECK(system->volume == doctest::Approx(8.0 / 6.0 / (edge_m * edge_m * edge_m)));
    REQUIRE(system->edges.size() == 6);
    CHECK(system->edges[0].length == doctest::Approx(2.0 / edge_m));
    CHECK(system->movable.size() == 4);
  }

  TEST_CASE("springs sum over edges to three volumes: the squared gradient of rest") {
    const test::Limb limb = makeLimb({.cell_m = 0.025});
    const auto system = makeTetSystem(limb.tets);
    CHECK_OK(system);
    double sum = 0.0;
    for (const TetEdge& edge : system->edges) sum += edge.spring * edge.length * edge.length;
    CHECK(sum == test::nearTo(3.0 * system->volume, 1e-12));
  }

  TEST_CASE("inverse masses are 1 on average of their masses, and 0 where fixed") {
    TetMesh mesh = cubeCorner();
    mesh.hold[1] = std::numeric_limits<double>::infinity();
    const auto system = makeTetSystem(mesh);
    CHECK_OK(system);
    CHECK(system->inverse_mass == std::vector<double>{1.0, 0.0, 1.0, 1.0});
    CHECK(system->movable == std::vector<std::uint32_t>{0, 2, 3});
  }

  TEST_CASE("inverted tetrahedra get their corners reordered") {
    TetMesh mesh = cubeCorner();
    mesh.tets = {{0, 2, 1, 3}};
    const auto system = makeTetSystem(mesh);
    CHECK_OK(system);
    CHECK(system->reoriented == 1);
    CHECK(system->tets[0].corners == Tet{0, 2, 3, 1});
    CHECK(system->tets[0].volume > 0.0);
  }

  TEST_CASE("tetrahedra without volume are left out and counted") {
    TetMesh mesh = cubeCorner();
    mesh.positions.push_back(Vec3(1, 1, 0));
    mesh.hold.push_back(0.0);
    mesh.tets.push_back({0, 1, 2, 4});
    mesh.tets.push_back({0, 0, 1, 2});
    const auto system = makeTetSystem(mesh);
    CHECK_OK(system);
    CHECK(system->flat == 2);
    CHECK(system->tets.size() == 1);
    // No tetrahedron holds the last corner: nothing moves it.
    CHECK(system->movable.size() == 4);
  }

  TEST_CASE("an empty mesh is no fault") {
    const auto system = makeTetSystem({});
    CHECK_OK(system);
    CHECK(system->tets.empty());
    CHECK(system->movable.empty());
  }

  TEST_CASE("what is out of range is refused") {
    TetMesh wrong = cubeCorner();
    SUBCASE("a corner that is not there") { wrong.tets.push_back({0, 1, 2, 4}); }
    SUBCASE("a position that is not finite") { wrong.positions[2].y = std::nan(""); }
    SUBCASE("a hold below 0") { wrong.hold[1] = -1.0; }
    SUBCASE("a hold that is not a number") { wrong.hold[1] = std::nan(""); }
    SUBCASE("holds of other corners") { wrong.hold.pop_back(); }
    const auto system = makeTetSystem(wrong);
    REQUIRE_FALSE(system.ok());
    CHECK(system.error().code == ErrorCode::kMalformed);
  }
}
