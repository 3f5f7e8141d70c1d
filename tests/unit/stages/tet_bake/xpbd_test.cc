// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <vector>

#include "checks.h"
#include "stages/tet_bake/limb.h"
#include "stages/tet_bake/solve/pbd_reference.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/solve/xpbd_simd.h"

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using clipmill::test::distance;

namespace {

constexpr double kSingle = 1e-6;

PositionLanes lanesOf(const std::vector<Vec3>& positions) {
  PositionLanes lanes(3 * positions.size());
  for (std::size_t v = 0; v < positions.size(); ++v) {
    for (std::size_t lane = 0; lane < kFrameLanes; ++lane) {
      // Every lane is scaled by its own number, so that none can be mistaken for another.
      setPosition(positions[v] * (1.0 + 0.1 * static_cast<double>(lane)), lane, &lanes[3 * v]);
    }
  }
  return lanes;
}

}  // namespace

TEST_SUITE("tet_bake: XPBD") {
  // Two ends 2 apart, to be 1 apart, of inverse mass 1, with compliance 1: the multiplier becomes
  // -1/3, each end moves by 1/3, and then C + a l = 1/3 - 1/3 is 0.
  TEST_CASE("a compliant edge yields as worked out by hand, and no more in later iterations") {
    XpbdSystem system;
    system.edges.push_back({{0, 3}, {1.0f, 1.0f}, 1.0f, 1.0f / 3.0f});
    system.edge_compliance = 1.0f;
    XpbdBlock block = makeXpbdBlock(system, lanesOf({Vec3(0), Vec3(2, 0, 0)}), {});
    for (int i = 0; i < 5; ++i) {
      projectConstraints(system, block);
      CHECK(distance(positionOf(&block.positions[0], 0), Vec3(1.0 / 3.0, 0, 0)) < kSingle);
      CHECK(distance(positionOf(&block.positions[3], 0), Vec3(5.0 / 3.0, 0, 0)) < kSingle);
      // In the sixth lane they are 3 apart: the error is 2, and 2/3 is left.
      CHECK(distance(positionOf(&block.positions[3], 5), Vec3(7.0 / 3.0, 0, 0)) < kSingle);
    }
  }

  // See "a volume step is the one worked out by hand" of the published method.
  TEST_CASE("a rigid volume takes the step worked out by hand") {
    XpbdSystem system;
    system.tets.push_back({{0, 3, 6, 9}, {1, 1, 1, 1}, static_cast<float>(1.0 + 0.06)});
    XpbdBlock block =
        makeXpbdBlock(system, lanesOf({Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}), {});
    projectConstraints(system, block);
    CHECK(distance(positionOf(&block.positions[0], 0), Vec3(-0.01)) < kSingle);
    CHECK(distance(positionOf(&block.positions[3], 0), Vec3(1.01, 0, 0)) < kSingle);
    CHECK(distance(positionOf(&block.positions[9], 0), Vec3(0, 0, 1.01)) < kSingle);
  }

  // Only corner 3 moves, so the volume is linear: with C = 6 z - 6 z0, gradient 1 and compliance 3
  // on both sides of the sum, a quarter of the error is taken, for good.
  TEST_CASE("a compliant volume yields as worked out by hand, and no more later") {
    XpbdSystem system;
    system.tets.push_back({{0, 3, 6, 9}, {0, 0, 0, 1}, 1.4f});
    system.volume_compliance = 3.0f;
    XpbdBlock block =
        makeXpbdBlock(system, lanesOf({Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}), {});
    for (int i = 0; i < 5; ++i) {
      projectConstraints(system, block);
      CHECK(distance(positionOf(&block.positions[9], 0), Vec3(0, 0, 1.1)) < kSingle);
    }
  }

  TEST_CASE("a hold of 1 meets a mass of 1 at the midpoint, in any number of iterations") {
    XpbdSystem system;
    system.holds.push_back({0, 0, 1.0f, 0.5f, 0.5f});
    XpbdBlock block = makeXpbdBlock(system, lanesOf({Vec3(1, 2, 3)}), lanesOf({Vec3(3, 2, 0)}));
    for (int i = 0; i < 5; ++i) {
      projectConstraints(system, block);
      CHECK(distance(positionOf(&block.positions[0], 0), Vec3(2, 2, 1.5)) < kSingle);
    }
  }

  TEST_CASE("edges and tetrahedra without size or free corners stay finite") {
    XpbdSystem system;
    system.edges.push_back({{0, 3}, {1.0f, 1.0f}, 1.0f, 0.5f});
    system.tets.push_back({{0, 3, 0, 3}, {1, 1, 1, 1}, 1.0f});
    XpbdBlock block = makeXpbdBlock(system, lanesOf({Vec3(1), Vec3(1)}), {});
    projectConstraints(system, block);
    CHECK(positionOf(&block.positions[0], 0) == Vec3(1.0));
    CHECK(positionOf(&block.positions[3], 0) == Vec3(1.0));
  }

  TEST_CASE("without compliance, lanes do what the published method does at full stiffness") {
    const test::Limb limb = test::makeLimb({.cell_m = 0.025});
    const FrameSource twisted = [&](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
      for (std::size_t v = 0; v < start.size(); ++v) {
        start[v] = target[v] =
            test::limbRotated(limb.shape, {Vec3(0, 0, 1), 60 * kDegree}, limb.tets.positions[v]);
      }
    };
    SolveSettings settings;
    settings.xpbd.iterations = settings.reference.iterations = 10;
    std::vector<Vec3> results[2];
    for (auto [method, result] : {std::pair(SolveMethod::kXpbd, &results[0]),
                                  std::pair(SolveMethod::kReference, &results[1])}) {
      settings.method = method;
      CHECK_OK(solveClip(
          limb.tets, 1, settings, twisted,
          [result = result](std::size_t, std::span<const Vec3> solved, const FrameStats& stats) {
            result->assign(solved.begin(), solved.end());
            CHECK(stats.sweeps == 10);
          }));
    }
    double most = 0.0, moved = 0.0;
    for (std::size_t v = 0; v < results[0].size(); ++v) {
      most = std::max(most, distance(results[0][v], results[1][v]));
      moved = std::max(moved, distance(results[0][v],
                                       test::limbRotated(limb.shape, {Vec3(0, 0, 1), 60 * kDegree},
                                                         limb.tets.positions[v])));
    }
    CHECK(moved > 1e-3);
    CHECK(most < 1e-6);
  }
}
