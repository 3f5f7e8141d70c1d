// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/solve_dynamic.h"

#include <cmath>
#include <vector>

#include "checks.h"
#include "core/portable_math.h"
#include "stages/tet_bake/limb.h"
#include "stages/tet_bake/solve_checks.h"

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using clipmill::stages::tet_bake::Material;
using clipmill::test::cubeCorner;
using clipmill::test::distance;
using clipmill::test::farthest;
using clipmill::test::Limb;

namespace {

constexpr double kFrame_s = 1.0 / 30.0;

// Where the bones move rest positions at a frame.
using Carry = std::function<Vec3(std::size_t frame, const Vec3& rest)>;

struct Moved {
  std::vector<std::vector<Vec3>> positions;
  std::vector<FrameStats> stats;
};

// `results` has an element a clip, and they stay where they are.
DynamicClip clipOf(const TetMesh& mesh, std::size_t frames, Carry carry, Moved& result) {
  result.positions.assign(frames, {});
  result.stats.assign(frames, {});
  return {frames,
          [&mesh, carry](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
            for (std::size_t v = 0; v < start.size(); ++v) {
              start[v] = target[v] = carry(frame, mesh.positions[v]);
            }
          },
          [&result, frames](std::size_t frame, std::span<const Vec3>,
                            std::span<const Vec3> positions, const FrameStats& stats) {
            result.positions[frame].assign(positions.begin(), positions.end());
            result.stats[frame] = stats;
            return frame + 1 < frames;
          }};
}

Moved moved(const TetMesh& mesh, std::size_t frames, const DynamicSettings& moving, Carry carry) {
  Moved result;
  const std::vector<DynamicClip> clips = {clipOf(mesh, frames, carry, result)};
  CHECK_OK(solveDynamic(mesh, clips, kFrame_s, {}, moving));
  return result;
}

// Height of the free corner of cubeCorner() over where it is carried, after a jolt of the bones.
std::vector<double> jolted(double damping_per_s, std::size_t frames, double stiffness = 1.0) {
  TetMesh mesh = cubeCorner();
  mesh.stiffness = {stiffness};
  DynamicSettings moving;
  moving.shear_speed_mps = 0.3;
  moving.damping_per_s = damping_per_s;
  moving.max_sweeps = 40;
  moving.step_tolerance = 0.0;
  const Moved result = moved(mesh, frames, moving, [](std::size_t frame, const Vec3& rest) {
    return rest + Vec3(0, 0, frame > 4 ? 0.01 : 0.0);
  });
  std::vector<double> heights;
  for (const auto& positions : result.positions) heights.push_back(positions[3].z - 1.01);
  return heights;
}

struct Swing {
  double period_s = 0.0;
  double peak = 0.0;  // The first one above.
};

// Of the time between upward crossings of 0, between frames by a straight line.
Swing swingOf(const std::vector<double>& heights) {
  std::vector<double> crossings_s;
  Swing swing;
  for (std::size_t i = 2; i < heights.size(); ++i) {
    const double a = heights[i - 1], b = heights[i];
    if (a < 0.0 && b >= 0.0) {
      crossings_s.push_back((static_cast<double>(i) - b / (b - a)) * kFrame_s);
    }
    if (crossings_s.size() == 1) swing.peak = std::max(swing.peak, b);
  }
  REQUIRE(crossings_s.size() > 2);
  swing.period_s =
      (crossings_s.back() - crossings_s.front()) / static_cast<double>(crossings_s.size() - 1);
  return swing;
}

}  // namespace

TEST_SUITE("tet_bake: dynamic tissue") {
  TEST_CASE("what is at rest, and what moves evenly, is not deformed") {
    const Limb limb = test::makeLimb({.cell_m = 0.025});
    const Vec3 velocity_mps = Vec3(2, -1, 0.5);
    for (const Vec3& v : {Vec3(0.0), velocity_mps}) {
      const auto carry = [&](std::size_t frame, const Vec3& rest) {
        return rest + static_cast<double>(frame) * kFrame_s * v;
      };
      DynamicSettings moving;
      moving.step_tolerance = 0.0;
      const Moved result = moved(limb.tets, 6, moving, carry);
      for (std::size_t frame = 0; frame < 6; ++frame) {
        std::vector<Vec3> expected;
        for (const Vec3& p : limb.tets.positions) expected.push_back(carry(frame, p));
        // Velocities carry the last digits of single precision on from step to step.
        CHECK(farthest(result.positions[frame], expected) < 1e-5 * limb.shape.length_m);
      }
    }
  }

  // The corner at (0, 0, 1) has mass density V / 4, and along z the Hessian V (mu + lambda) of the
  // energy (its shape gradient is the unit vector of z): its frequency is
  // sqrt(4 (mu + lambda) / density) = 2 c sqrt(1 + lambda), c the speed of shear waves.
  TEST_CASE("a corner swings with the period of its mass and stiffness") {
    const Swing swing = swingOf(jolted(0.0, 600));
    const double frequency = 2.0 * 0.3 * std::sqrt(1.0 + Material().lambda);
    CHECK(swing.period_s == test::nearTo(2.0 * kPi / frequency, 0.01));
  }

  // The energy, and so its Hessian, is proportional to the stiffness.
  TEST_CASE("tissue of k times the stiffness swings sqrt(k) times as fast") {
    const double one = swingOf(jolted(0.0, 600)).period_s;
    for (const double stiffness : {2.0, 9.0}) {
      CAPTURE(stiffness);
      CHECK(one / swingOf(jolted(0.0, 600, stiffness)).period_s ==
            test::nearTo(std::sqrt(stiffness), 0.01));
    }
  }

  // x'' + d x' + w^2 x = 0 falls by exp(-d t / 2); the first peak is 3/4 of a period after the
  // jolt.
  TEST_CASE("damping makes a swing fall as it should") {
    const double damping_per_s = 0.5;
    const Swing free = swingOf(jolted(0.0, 600)), damped = swingOf(jolted(damping_per_s, 600));
    CHECK(damped.peak / free.peak ==
          test::nearTo(portable::exp(-0.5 * damping_per_s * 0.5 * free.period_s), 0.05));
  }

  TEST_CASE("soft tissue lags behind its bones, then comes to the equilibrium without inertia") {
    const Limb limb = test::makeLimb({.cell_m = 0.025});
    const auto carry = [&](std::size_t frame, const Vec3& rest) {
      return test::limbRotated(
          limb.shape, {Vec3(1, 0, 0), std::min(60.0, 4.0 * static_cast<double>(frame)) * kDegree},
          rest);
    };
    DynamicSettings moving;
    moving.shear_speed_mps = 0.6;
    moving.damping_per_s = 20.0;
    const Moved result = moved(limb.tets, 40, moving, carry);
    SolveSettings settings;
    settings.descent = {1.85, 1e-5, 0.0, 2000};
    const test::Solved rest = test::solve(
        limb.tets, 1, settings, [&](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
          for (std::size_t v = 0; v < start.size(); ++v) {
            start[v] = target[v] = carry(39, limb.tets.positions[v]);
          }
        });
    CHECK(farthest(result.positions[16], result.positions[39]) > 1e-3);
    CHECK(farthest(result.positions[39], rest.positions[0]) < 3e-4);
  }

  TEST_CASE("a clip has the same bits alone, among others, and on any number of threads") {
    const TetMesh mesh = cubeCorner();
    std::vector<Moved> together(20), threaded(20);
    const auto clipsOf = [&](std::vector<Moved>& results) {
      std::vector<DynamicClip> clips;
      for (std::size_t i = 0; i < results.size(); ++i) {
        clips.push_back(clipOf(
            mesh, 5 + i,
            [i](std::size_t frame, const Vec3& rest) {
              return rest * (1.0 + 0.01 * static_cast<double>(i * frame % 7));
            },
            results[i]));
      }
      return clips;
    };
    SolveSettings settings;
    settings.threads = 1;
    const auto clips = clipsOf(together), others = clipsOf(threaded);
    CHECK_OK(solveDynamic(mesh, clips, kFrame_s, settings, {}));
    settings.threads = 8;
    CHECK_OK(solveDynamic(mesh, others, kFrame_s, settings, {}));
    Moved alone;
    const std::vector<DynamicClip> one = {{clips[13].frame_count, clips[13].source,
                                           clipOf(mesh, clips[13].frame_count, {}, alone).sink}};
    CHECK_OK(solveDynamic(mesh, one, kFrame_s, settings, {}));
    CHECK(alone.positions == together[13].positions);
    for (std::size_t i = 0; i < 20; ++i) CHECK(threaded[i].positions == together[i].positions);
  }

  TEST_CASE("bones that jump to the position limit leave finite numbers") {
    const TetMesh mesh = cubeCorner();
    const Moved result = moved(mesh, 10, {}, [](std::size_t frame, const Vec3& rest) {
      return frame == 4 ? 1e9 * rest : rest;
    });
    for (const auto& positions : result.positions) {
      for (const Vec3& p : positions) CHECK(isFinite(p));
    }
    CHECK_FALSE(result.stats[4].is_solved);
    CHECK(farthest(result.positions[9], mesh.positions) < 0.5);
  }

  TEST_CASE("positions that are not finite are refused, clip and frame named") {
    const TetMesh mesh = cubeCorner();
    Moved good, bad;
    const std::vector<DynamicClip> clips = {
        clipOf(
            mesh, 9, [](std::size_t, const Vec3& rest) { return rest; }, good),
        clipOf(
            mesh, 9,
            [](std::size_t frame, const Vec3& rest) {
              return frame == 3 ? Vec3(std::nan("")) : rest;
            },
            bad)};
    const auto result = solveDynamic(mesh, clips, kFrame_s, {}, {});
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().location == "clip 1: frame 3");
  }

  TEST_CASE("settings out of range are refused") {
    const TetMesh mesh = cubeCorner();
    DynamicSettings moving;
    double frame_s = kFrame_s;
    SUBCASE("no time") { frame_s = 0.0; }
    SUBCASE("no stiffness") { moving.shear_speed_mps = 0.0; }
    SUBCASE("no steps") { moving.substeps = 0; }
    SUBCASE("damping below 0") { moving.damping_per_s = -1.0; }
    const auto result = solveDynamic(mesh, {}, frame_s, {}, moving);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == ErrorCode::kRecipe);
  }
}
