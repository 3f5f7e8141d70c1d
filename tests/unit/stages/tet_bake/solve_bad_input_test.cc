// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <vector>

#include "checks.h"
#include "stages/tet_bake/limb.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/solve_checks.h"

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using clipmill::test::cubeCorner;
using clipmill::test::distance;
using clipmill::test::farthest;
using clipmill::test::Limb;
using clipmill::test::solve;
using clipmill::test::solveClips;
using clipmill::test::Solved;
using clipmill::test::still;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_SUITE("tet_bake: solver, bad input") {
  TEST_CASE("meshes with nothing to solve give back what came in") {
    TetMesh mesh;
    SUBCASE("empty") {}
    SUBCASE("no tetrahedra") {
      mesh.positions = {Vec3(1, 2, 3), Vec3(4, 5, 6)};
      mesh.hold = {0.0, kInfinity};
    }
    SUBCASE("only flat ones") {
      mesh.positions = {Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)};
      mesh.tets = {{0, 1, 2, 3}, {0, 0, 0, 0}};
      mesh.hold.assign(4, 0.0);
    }
    SUBCASE("all fixed") {
      mesh = cubeCorner();
      mesh.hold.assign(4, kInfinity);
    }
    for (SolveMethod method :
         {SolveMethod::kNeoHookean, SolveMethod::kReference, SolveMethod::kXpbd}) {
      SolveSettings settings;
      settings.method = method;
      const Solved solved = solve(mesh, 3, settings, still(mesh));
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(farthest(solved.positions[i], mesh.positions) < 1e-6);
        CHECK(solved.stats[i].is_solved);
        CHECK(solved.stats[i].has_converged);
      }
    }
  }

  TEST_CASE("a clip without frames is solved") {
    const TetMesh mesh = cubeCorner();
    CHECK(solve(mesh, 0, {}, still(mesh)).positions.empty());
  }

  TEST_CASE("fixed corners are where the bones carry them, free ones start at their start") {
    const TetMesh mesh = cubeCorner();
    SolveSettings settings;
    settings.descent.max_sweeps = 0;
    const Solved solved =
        solve(mesh, 1, settings, [](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
          for (std::size_t v = 0; v < 4; ++v) {
            start[v] = Vec3(1, static_cast<double>(v), 0);
            target[v] = Vec3(2, static_cast<double>(v), 0);
          }
        });
    CHECK(distance(solved.positions[0][1], Vec3(2, 1, 0)) < 1e-6);
    CHECK(distance(solved.positions[0][3], Vec3(1, 3, 0)) < 1e-6);
    CHECK_FALSE(solved.stats[0].has_converged);
  }

  TEST_CASE("a corner without tetrahedra goes where it is held") {
    TetMesh mesh = cubeCorner();
    mesh.positions.push_back(Vec3(5));
    mesh.hold.push_back(0.5);
    for (SolveMethod method :
         {SolveMethod::kNeoHookean, SolveMethod::kReference, SolveMethod::kXpbd}) {
      SolveSettings settings;
      settings.method = method;
      const Solved solved =
          solve(mesh, 1, settings, [&](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
            still(mesh)(0, start, target);
            start[4] = Vec3(4);
          });
      CHECK(distance(solved.positions[0][4], Vec3(5)) < 1e-3);
    }
  }

  TEST_CASE("a hold beyond all bounds is a fixed corner") {
    TetMesh mesh = cubeCorner();
    mesh.hold[3] = 1e300;
    CHECK(solve(mesh, 1, {}, still(mesh)).summary.free_corners == 0);
  }

  TEST_CASE("a start that is not finite is refused, the first frame that has one named") {
    const TetMesh mesh = cubeCorner();
    for (int threads : {1, 4}) {
      SolveSettings settings;
      settings.threads = threads;
      const auto result = solveClip(
          mesh, 200, settings,
          [&](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
            still(mesh)(frame, start, target);
            if (frame > 40) (frame % 2 == 0 ? start : target)[2].y = std::nan("");
          },
          [](std::size_t frame, std::span<const Vec3>, const FrameStats&) { CHECK(frame < 41); });
      REQUIRE_FALSE(result.ok());
      CHECK(result.error().code == ErrorCode::kMalformed);
      CHECK(result.error().location == "frame 41");
    }
  }

  TEST_CASE("the first of two blocks with a fault is named, whichever thread is faster") {
    const TetMesh mesh = cubeCorner();
    SolveSettings settings;
    settings.threads = 16;
    for (int run = 0; run < 30000; ++run) {
      const auto result = solveClip(
          mesh, 256, settings,
          [&](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
            still(mesh)(0, start, target);
            start[2].y = std::nan("");
          },
          [](std::size_t, std::span<const Vec3>, const FrameStats&) {});
      REQUIRE_FALSE(result.ok());
      REQUIRE(result.error().location == "frame 0");
    }
  }

  TEST_CASE("of several clips the first frame that is refused is named as its clip counts it") {
    const TetMesh mesh = cubeCorner();
    const auto broken = [&](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
      still(mesh)(frame, start, target);
      if (frame >= 3) start[2].y = std::nan("");
    };
    const auto nowhere = [](std::size_t, std::span<const Vec3>, const FrameStats&) {};
    const std::vector<ClipToSolve> clips = {
        {40, still(mesh), nowhere}, {3, broken, nowhere}, {30, broken, nowhere}};
    const auto result = solveClips(mesh, clips, {});
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().location == "clip 2: frame 3");
  }

  TEST_CASE("a frame that flies apart is kept as it came, and reported as unsolved") {
    const TetMesh mesh = cubeCorner();
    const auto source = [&](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
      still(mesh)(frame, start, target);
      if (frame == 1) start[3] = Vec3(1e30, 0, 1e300);
    };
    const Solved solved = solve(mesh, 3, {}, source);
    CHECK_FALSE(solved.stats[1].is_solved);
    CHECK(solved.positions[1][3] == Vec3(1e30, 0, 1e300));
    for (std::size_t i : {std::size_t{0}, std::size_t{2}}) {
      CHECK(solved.stats[i].is_solved);
      CHECK(farthest(solved.positions[i], mesh.positions) < 1e-6);
    }
  }

  TEST_CASE("a crushed limb ends with finite numbers, its inverted tetrahedra counted") {
    const Limb limb = test::makeLimb({.cell_m = 0.025});
    const Solved solved = solve(
        limb.tets, 3, {}, [&](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
          const Vec3 scale = frame == 0   ? Vec3(0.0)
                             : frame == 1 ? Vec3(1, 1, -1)
                                          : Vec3(1, 1e-4, 1);
          for (std::size_t v = 0; v < start.size(); ++v) {
            start[v] = target[v] = scale * limb.tets.positions[v];
          }
        });
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(solved.stats[i].is_solved);
      CHECK(solved.stats[i].inverted > 0);
      for (const Vec3& p : solved.positions[i]) REQUIRE(isFinite(p));
    }
  }

  TEST_CASE("a tetrahedron that bones alone hold inside out counts for no inverted one") {
    TetMesh mesh = cubeCorner();
    mesh.hold.assign(mesh.vertexCount(), kInfinity);
    const auto rotated = [&](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
      for (std::size_t v = 0; v < start.size(); ++v) {
        start[v] = target[v] = mesh.positions[v] * Vec3(1.0, 1.0, -1.0);
      }
    };
    CHECK(solve(mesh, 1, {}, rotated).stats[0].inverted == 0);
    mesh.hold.back() = 0.1;
    SolveSettings settings;
    settings.descent.max_sweeps = 0;
    CHECK(solve(mesh, 1, settings, rotated).stats[0].inverted == 1);
  }

  TEST_CASE("settings out of range are refused") {
    SolveSettings settings;
    SUBCASE("over-relaxation 2") { settings.descent.over_relaxation = 2.0; }
    SUBCASE("over-relaxation 0") { settings.descent.over_relaxation = 0.0; }
    SUBCASE("a material without volume") { settings.material.lambda = 0.5; }
    SUBCASE("a stiffness above 1") { settings.reference.edge_stiffness = 1.5; }
    SUBCASE("a compliance that is not a number") { settings.xpbd.edge_compliance = std::nan(""); }
    SUBCASE("fewer than no sweeps") { settings.descent.max_sweeps = -1; }
    const TetMesh mesh = cubeCorner();
    const auto result =
        solveClip(mesh, 1, settings, still(mesh),
                  [](std::size_t, std::span<const Vec3>, const FrameStats&) { CHECK(false); });
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == ErrorCode::kRecipe);
  }
}
