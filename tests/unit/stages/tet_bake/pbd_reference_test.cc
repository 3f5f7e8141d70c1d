// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/pbd_reference.h"

#include <cmath>

#include "checks.h"

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using clipmill::stages::tet_bake::Material;
using clipmill::test::distance;

namespace {

const Corners kCubeCorner = {Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};

Corners moved(const Corners& x, const Corners& step) {
  return {x[0] + step[0], x[1] + step[1], x[2] + step[2], x[3] + step[3]};
}

Corners scaled(double scale) {
  Corners x = kCubeCorner;
  for (Vec3& corner : x) corner *= scale;
  return x;
}

// Corner 0 of a cube of edge 1.01, two of whose other corners are fixed.
struct OneTet {
  TetSystem system;
  std::vector<Vec3> positions, targets;
};

OneTet squeezed() {
  TetMesh mesh;
  mesh.positions.assign(kCubeCorner.begin(), kCubeCorner.end());
  mesh.tets = {{0, 1, 2, 3}};
  mesh.hold.assign(4, 0.0);
  OneTet one{makeTetSystem(mesh).value(), {}, {}};
  for (const Vec3& p : mesh.positions) {
    one.positions.push_back(p / one.system.edge_m * Vec3(1.2, 0.7, 0.9));
  }
  one.targets = one.positions;
  return one;
}

Corners solved(const ReferenceSettings& settings, OneTet& one) {
  solveReference(one.system, settings, Material{}, one.targets, one.positions);
  return cornersOf(one.positions, one.system.tets[0].corners);
}

}  // namespace

TEST_SUITE("tet_bake: the published method") {
  // Ends at 0 and 3 are to be 2 apart, the first three times as easy to move: 1 is shared 3 : 1.
  TEST_CASE("an edge gets its length, the lighter end goes farther") {
    const auto step = edgeStep({Vec3(0), Vec3(3, 0, 0)}, {3.0, 1.0}, 2.0);
    CHECK(distance(step[0], Vec3(0.75, 0, 0)) < 1e-15);
    CHECK(distance(step[1], Vec3(-0.25, 0, 0)) < 1e-15);
  }

  TEST_CASE("an edge without length or weight stays as it is") {
    CHECK(edgeStep({Vec3(1), Vec3(1)}, {1.0, 1.0}, 2.0)[0] == Vec3(0.0));
    CHECK(edgeStep({Vec3(0), Vec3(1)}, {0.0, 0.0}, 2.0)[1] == Vec3(0.0));
  }

  // The corner of a cube has volume 1/6. Its gradients are (-1, -1, -1)/6 and the axes over 6, so
  // their squares sum to (3 + 1 + 1 + 1)/36 = 1/6. To gain 0.01, each corner moves by 0.06 times
  // its gradient.
  TEST_CASE("a volume step is the one worked out by hand") {
    const Corners step = volumeStep(kCubeCorner, {1, 1, 1, 1}, 1.0 / 6.0 + 0.01);
    CHECK(distance(step[0], Vec3(-0.01)) < 1e-15);
    CHECK(distance(step[1], Vec3(0.01, 0, 0)) < 1e-15);
    CHECK(distance(step[2], Vec3(0, 0.01, 0)) < 1e-15);
    CHECK(distance(step[3], Vec3(0, 0, 0.01)) < 1e-15);
  }

  // Only corner 3 moves, by 6 (0.01) along z: the volume is linear in it.
  TEST_CASE("a volume step of one free corner is exact") {
    const Corners step = volumeStep(kCubeCorner, {0, 0, 0, 2.0}, 1.0 / 6.0 + 0.01);
    CHECK(distance(step[3], Vec3(0, 0, 0.06)) < 1e-15);
    CHECK(signedVolume(moved(kCubeCorner, step)) == doctest::Approx(1.0 / 6.0 + 0.01));
  }

  TEST_CASE("a whole volume step leaves less than a thousandth of a small error") {
    const double error = 1e-3;
    for (double sign : {-1.0, 1.0}) {
      const double volume = (1.0 + sign * error) / 6.0;
      const Corners after = moved(kCubeCorner, volumeStep(kCubeCorner, {1, 1, 1, 1}, volume));
      CHECK(std::abs(signedVolume(after) - volume) < 1e-3 * error / 6.0);
    }
  }

  TEST_CASE("volume of a flat tetrahedron without direction stays as it is") {
    const Corners point = {Vec3(1), Vec3(1), Vec3(1), Vec3(1)};
    for (const Vec3& step : volumeStep(point, {1, 1, 1, 1}, 1.0)) CHECK(step == Vec3(0.0));
  }

  // Grown by s, the cube's corner has F = s I, |F|^2 = 3 s^2, J = s^3. With lambda 10 and V = 1/6,
  // E/V = 3/2 (s^2 - 1) - (s^3 - 1) + 5 (s^3 - 1)^2 and, as corner 3 is the only one to move and
  // moves F_33 alone, dE/dz = V (s + (10 (s^3 - 1) - 1) s^2). One step is dz = -E / (dE/dz).
  TEST_CASE("an energy step is the one worked out by hand") {
    const double s = 1.1, j = s * s * s - 1.0;
    const double energy = 1.5 * (s * s - 1.0) - j + 5.0 * j * j;
    const double slope = s + (10.0 * j - 1.0) * s * s;
    const Corners step =
        energyStep(scaled(s), {0, 0, 0, 1}, makeElasticTet(kCubeCorner), Material{});
    CHECK(distance(step[3], Vec3(0, 0, -energy / slope)) < 1e-14);
    CHECK(step[0] == Vec3(0.0));
  }

  TEST_CASE("each constraint alone brings back what it keeps") {
    OneTet one = squeezed();
    const double volume = one.system.tets[0].volume;
    ReferenceSettings only{0.0, 0.0, 0.0, 60};
    SUBCASE("volume") {
      only.volume_stiffness = 1.0;
      const Corners x = solved(only, one);
      CHECK(signedVolume(x) == test::nearTo(volume, 1e-12));
      // Shapes are not its business.
      CHECK(elasticEnergy(one.system.tets[0], Material{}, x) > 0.01 * volume);
    }
    SUBCASE("edges") {
      only.edge_stiffness = 1.0;
      const Corners x = solved(only, one);
      for (const TetEdge& edge : one.system.edges) {
        const double length = glm::length(x[edge.corners[1]] - x[edge.corners[0]]);
        CHECK(length == test::nearTo(edge.length, 1e-6));
      }
    }
    SUBCASE("energy") {
      // Its steps go downhill, not straight to rest.
      only.energy_stiffness = 1.0;
      only.iterations = 400;
      const double before = elasticEnergy(one.system.tets[0], Material{},
                                          cornersOf(one.positions, one.system.tets[0].corners));
      const Corners x = solved(only, one);
      CHECK(elasticEnergy(one.system.tets[0], Material{}, x) < 1e-9 * before);
    }
    SUBCASE("none") {
      const std::vector<Vec3> before = one.positions;
      solved(only, one);
      CHECK(one.positions == before);
    }
  }

  TEST_CASE("a share of a step is that share of it") {
    OneTet one = squeezed();
    const Corners before = cornersOf(one.positions, one.system.tets[0].corners);
    const Corners whole = volumeStep(before, {1, 1, 1, 1}, one.system.tets[0].volume);
    const Corners x = solved({0.0, 0.25, 0.0, 1}, one);
    for (std::size_t i = 0; i < 4; ++i) CHECK(distance(x[i], before[i] + 0.25 * whole[i]) < 1e-15);
  }

  TEST_CASE("a hold of 1 takes half of the distance in each iteration") {
    OneTet one = squeezed();
    one.system.hold[2] = 1.0;
    one.targets[2] += Vec3(0.8, 0, 0);
    const Vec3 before = one.positions[2];
    solved({0.0, 0.0, 0.0, 2}, one);
    CHECK(distance(one.positions[2], before + Vec3(0.6, 0, 0)) < 1e-15);
  }
}
