// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/lower_energy.h"

#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>

#include "checks.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/shape_jumps.h"
#include "stages/tet_bake/solve_checks.h"

TEST_SUITE_BEGIN("tet_bake.lower_energy");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

namespace {

constexpr int kLength = 10;
constexpr double kSqueezed = 0.8;  // what is left of the beam's length
constexpr double kBow = 2.0;

// A beam of unit cubes along x, six tetrahedra each; its ends are fixed, the rest is on a soft
// elastic foundation.
TetMesh beam() {
  TetMesh mesh;
  const auto corner = [](int x, int y, int z) {
    return static_cast<std::uint32_t>(4 * x + 2 * y + z);
  };
  for (int x = 0; x <= kLength; ++x) {
    for (int y = 0; y < 2; ++y) {
      for (int z = 0; z < 2; ++z) {
        mesh.positions.emplace_back(x, y, z);
        const bool is_end = x == 0 || x == kLength;
        mesh.hold.push_back(is_end ? std::numeric_limits<double>::infinity() : 1e-3);
      }
    }
  }
  for (int x = 0; x < kLength; ++x) {
    const std::array<std::array<int, 3>, 6> orders{
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
    for (const auto& order : orders) {
      std::array<int, 3> at{x, 0, 0};
      Tet tet{corner(at[0], at[1], at[2])};
      for (std::size_t k = 0; k < 3; ++k) {
        ++at[toSize(order[k])];
        tet[k + 1] = corner(at[0], at[1], at[2]);
      }
      mesh.tets.push_back(tet);
    }
  }
  return mesh;
}

// Frames that rotate about x; the foundation pulls a little to one side, along y.
Quat frameRotation(std::size_t frame) {
  return rotationAbout(Vec3(1, 0, 0), 0.1 * static_cast<double>(frame));
}

Vec3 squeezed(const Vec3& rest) { return {kSqueezed * rest.x, rest.y, rest.z}; }

Vec3 bowed(const Vec3& rest, double height) {
  return squeezed(rest) + Vec3(0, height * portable::sinCos(kPi * rest.x / kLength).sine, 0);
}

struct Frames {
  TetMesh mesh = beam();
  std::vector<SolvedFrame> frames;
  std::vector<std::vector<Vec3>> solved;
  std::multiset<std::size_t> changed;
  std::mutex mutex;

  FrameSource bows(const std::vector<bool>& is_up) const {
    return [this, is_up](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
      for (std::size_t v = 0; v < start.size(); ++v) {
        const Vec3& rest = mesh.positions[v];
        start[v] = frameRotation(frame) * bowed(rest, is_up[frame] ? kBow : -kBow);
        target[v] =
            frameRotation(frame) * (std::isinf(mesh.hold[v]) ? squeezed(rest) : bowed(rest, 0.5));
      }
    };
  }

  RotatedSource straight() const {
    return [this](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target,
                  std::span<Quat> rotations) {
      bows(std::vector<bool>(frame + 1))(frame, start, target);
      for (std::size_t v = 0; v < start.size(); ++v) {
        start[v] = frameRotation(frame) * squeezed(mesh.positions[v]);
        rotations[v] = frameRotation(frame);
      }
    };
  }

  void take(std::size_t frame, std::span<const Vec3> positions) {
    solved[frame].assign(positions.begin(), positions.end());
  }

  void solveAndSeek(const std::vector<bool>& is_up, const std::vector<std::size_t>& start,
                    const std::vector<std::size_t>& jumps, int threads = 1) {
    SolveSettings settings;
    settings.threads = threads;
    const auto solver = ClipSolver::make(mesh, settings);
    REQUIRE(solver);
    frames.assign(is_up.size(), {});
    solved.assign(is_up.size(), {});
    const auto sink = [&](std::size_t frame, std::span<const Vec3> positions,
                          const FrameStats& stats) {
      take(frame, positions);
      frames[frame] = solvedFrame(positions, stats);
    };
    CHECK_OK(solver->solve(std::vector<ClipToSolve>{{is_up.size(), bows(is_up), sink}}));
    before = frames;
    const auto again = [&](std::size_t frame, std::span<const Vec3> positions, const FrameStats&) {
      take(frame, positions);
      const std::lock_guard lock(mutex);
      changed.insert(frame);
    };
    CHECK_OK(findLowerEnergy(*solver, start, jumps, threads, straight(), frames, again));
  }

  // How far the middle of the beam is on the foundation's side.
  double height(std::size_t frame) const {
    return (glm::conjugate(frameRotation(frame)) * solved[frame][4 * (kLength / 2)]).y;
  }

  std::vector<SolvedFrame> before;
};

}  // namespace

TEST_CASE(
    "a squeezed beam is in equilibrium on either side, with less energy on the foundation's") {
  Frames beams;
  beams.solveAndSeek({true, false}, {0, 2}, {});
  CHECK(beams.height(0) > 1.0);
  CHECK(beams.height(1) < -0.5);
  CHECK(beams.frames[0].energy < 0.99 * beams.frames[1].energy);
  CHECK(beams.changed.empty());
}

TEST_CASE("frames beside a jump take the lower shape of the other side, to the end of their clip") {
  // Twenty frames bow down before one that bows up; the clip behind them is another one.
  std::vector<bool> is_up(20, false);
  is_up.insert(is_up.end(), {true, true, false, false});
  Frames beams;
  beams.solveAndSeek(is_up, {0, 22, 24}, {19});
  for (std::size_t f = 0; f < 22; ++f) {
    CHECK(beams.height(f) == test::nearTo(beams.height(21), 0.01));
    CHECK(beams.frames[f].energy <= beams.before[f].energy);
    CHECK(beams.changed.count(f) == (f < 20 ? 1 : 0));
  }
  for (std::size_t f = 22; f < 24; ++f) {
    CHECK(beams.height(f) < -0.5);
    CHECK(beams.changed.count(f) == 0);
  }
}

TEST_CASE("a shape between two jumps is replaced from both sides, or replaces both") {
  for (const bool is_up_between : {true, false}) {
    std::vector<bool> is_up(9, !is_up_between);
    for (std::size_t f = 3; f < 6; ++f) is_up[f] = is_up_between;
    Frames beams;
    beams.solveAndSeek(is_up, {0, 9}, {2, 5});
    for (std::size_t f = 0; f < 9; ++f) CHECK(beams.height(f) > 1.0);
  }
}

TEST_CASE("a clip that jumps between all its frames comes to equilibrium too") {
  std::vector<bool> is_up;
  std::vector<std::size_t> jumps;
  for (std::size_t f = 0; f < 140; ++f) {
    is_up.push_back(f % 2 == 0);
    if (f > 0) jumps.push_back(f - 1);
  }
  Frames beams;
  beams.solveAndSeek(is_up, {0, 140}, jumps);
  for (std::size_t f = 0; f < 140; ++f) CHECK(beams.height(f) > 1.0);
}

TEST_CASE("the lower-energy equilibrium has the same bits for any number of threads") {
  std::vector<bool> is_up(40, false);
  for (std::size_t f = 0; f < 40; f += 6) is_up[f] = true;
  std::vector<std::size_t> jumps;
  for (std::size_t f = 0; f < 39; ++f) {
    if (f != 25 && is_up[f] != is_up[f + 1]) jumps.push_back(f);
  }
  // The first clip has jumps enough: the second one may have a thread of its own.
  Frames one, three;
  one.solveAndSeek(is_up, {0, 26, 40}, jumps, 1);
  three.solveAndSeek(is_up, {0, 26, 40}, jumps, 3);
  for (std::size_t f = 0; f < 40; ++f) {
    CHECK(one.height(f) > 1.0);
    CHECK(one.frames[f].positions == three.frames[f].positions);
  }
}

TEST_CASE("a jump is what no bone that bends the skin there explains") {
  const Scene scene = test::limbScene();
  BakeRig rig;
  rig.surface = test::surfaceOf(scene);
  rig.regions = findRegions(rig.surface, scene.skeleton);
  const double radius_m = 0.05, edge_m = 0.01;
  rig.max_displacement_m.assign(rig.surface.pointCount(), 2.0 * radius_m);
  const MorphRegion& region = rig.regions.front();
  std::size_t i = 0;
  while (region.shares[i] < 0.9) ++i;

  // Between the frames the lower bone rotates by 0, 0, 0.1 and 0.1 radians.
  std::vector<std::vector<Affine>> worlds;
  for (const double angle_rad : {0.0, 0.0, 0.0, 0.1, 0.2}) {
    const Quat rotation = rotationAbout(Vec3(1, 0, 0), angle_rad);
    worlds.push_back(
        worldsFromBind(rig.surface.bind_world_from_node, test::limbPose(scene, rotation)));
  }
  const PoseAngles angles(rig.surface, rig.regions, worlds);
  // And a point steps by: less than a quarter of an edge; more; less than that and 0.01; more.
  PointDisplacements displacements(rig.surface.pointCount(), 7);
  double x_m = 0.0;
  std::size_t column = 2;
  for (const double step_m : {0.0, 0.0024, 0.0026, 0.0124, 0.0126}) {
    x_m += step_m;
    displacements.set(region.points[i], column++, Vec3(x_m, 0, 0));
  }
  CHECK(findShapeJumps(rig, angles, displacements, 2, edge_m) == std::vector<std::size_t>{3, 5});
  // What starts in front of the clip is not its jump.
  displacements.set(region.points[i], 1, Vec3(1, 0, 0));
  CHECK(findShapeJumps(rig, angles, displacements, 2, edge_m) == std::vector<std::size_t>{3, 5});
}
