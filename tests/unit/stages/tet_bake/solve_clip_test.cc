// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/solve_clip.h"

#include <cmath>
#include <limits>
#include <vector>

#include "checks.h"
#include "core/instruction_set_simd.h"
#include "platform.h"
#include "stages/tet_bake/limb.h"
#include "stages/tet_bake/solve_checks.h"

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using clipmill::test::farthest;
using clipmill::test::Limb;
using clipmill::test::LimbPose;
using clipmill::test::limbRotated;
using clipmill::test::makeLimb;
using clipmill::test::solve;
using clipmill::test::solveClips;
using clipmill::test::Solved;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Vec3 kBend(1, 0, 0), kTwist(0, 0, 1);

// 1 mm lattices of a limb are for the characters that the method is known by; all else is as true
// of coarse ones.
const Limb& fineLimb() {
  static const Limb limb = makeLimb();
  return limb;
}
const Limb& coarseLimb() {
  static const Limb limb = makeLimb({.cell_m = 0.025});
  return limb;
}

// Frames of which each has a pose, the whole then moved by `offset`.
FrameSource posed(
    const Limb& limb, std::vector<LimbPose> poses,
    std::function<Vec3(const Vec3&)> position = [](const Vec3& p) { return p; }) {
  return [&limb, poses, position](std::size_t frame, std::span<Vec3> start,
                                  std::span<Vec3> target) {
    for (std::size_t v = 0; v < start.size(); ++v) {
      const Vec3& rest = limb.tets.positions[v];
      start[v] = target[v] = position(limbRotated(limb.shape, poses[frame % poses.size()], rest));
    }
  };
}

std::vector<LimbPose> rotations(std::size_t count) {
  std::vector<LimbPose> poses;
  for (std::size_t i = 0; i < count; ++i) {
    poses.push_back({i % 3 == 0 ? kTwist : kBend, 5.0 * static_cast<double>(i) * kDegree});
  }
  return poses;
}

// Of the limb's surface, in percent of that at rest.
double volumeChange(const Limb& limb, const std::vector<Vec3>& corners) {
  const double rest = test::enclosedVolume(limb, limb.surface);
  return 100.0 * (test::enclosedVolume(limb, test::limbSurface(limb, corners)) / rest - 1.0);
}

SolveSettings quick() {
  SolveSettings settings;
  settings.descent.max_sweeps = 30;
  settings.xpbd.iterations = settings.reference.iterations = 10;
  return settings;
}

}  // namespace

TEST_SUITE("tet_bake: solver, closed forms") {
  TEST_CASE("a body that moves as a whole is not deformed") {
    const Limb& limb = fineLimb();
    const Quat rotation = rotationAbout(glm::normalize(Vec3(1, -2, 0.5)), 63 * kDegree);
    const auto whole = [&](const Vec3& p) { return rotation * p + Vec3(40, 1, -25); };
    SolveSettings settings;
    settings.descent.energy_tolerance = settings.descent.step_tolerance = 0.0;
    settings.descent.max_sweeps = 100;
    const Solved solved = solve(limb.tets, 1, settings, posed(limb, {LimbPose{}}, whole));
    std::vector<Vec3> expected;
    for (const Vec3& p : limb.tets.positions) expected.push_back(whole(p));
    CHECK(farthest(solved.positions[0], expected) < 1e-6 * limb.shape.length_m);
    CHECK(solved.stats[0].j_min > 1.0 - 1e-5);
    CHECK(solved.stats[0].j_p99 < 1.0 + 1e-5);
    CHECK(std::abs(solved.stats[0].energy) < 1e-3);
  }

  TEST_CASE("bent and twisted limbs keep their volume, and 4 in 10,000 tetrahedra are crushed") {
    const Limb& limb = fineLimb();
    REQUIRE(limb.tets.tets.size() == 24288);
    REQUIRE(limb.embeddings.size() == limb.surface.size());
    const Solved solved =
        solve(limb.tets, 2, {}, posed(limb, {{kBend, 90 * kDegree}, {kTwist, 135 * kDegree}}));
    CHECK(std::abs(volumeChange(limb, solved.positions[0])) < 1.5);
    CHECK(std::abs(volumeChange(limb, solved.positions[1])) < 1.0);
    CHECK(solved.stats[0].inverted <= 12);
    CHECK(solved.stats[1].inverted == 0);
    for (const FrameStats& stats : solved.stats) {
      CHECK(stats.has_converged);
      CHECK(stats.energy < 0.35 * stats.start_energy);
    }
  }

  TEST_CASE("where it stops, the surface is within half a millimetre of its last position") {
    const Limb& limb = coarseLimb();
    const auto poses = posed(limb, {{kBend, 90 * kDegree}, {kTwist, 135 * kDegree}});
    SolveSettings settings;
    const Solved stopped = solve(limb.tets, 2, settings, poses);
    settings.descent.max_sweeps = 3000;
    settings.descent.energy_tolerance = 0.0;
    settings.descent.step_tolerance = 1e-6;
    const Solved last = solve(limb.tets, 2, settings, poses);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(stopped.stats[i].sweeps < 200);
      const auto a = test::limbSurface(limb, stopped.positions[i]);
      const auto b = test::limbSurface(limb, last.positions[i]);
      double square = 0.0;
      for (std::size_t v = 0; v < a.size(); ++v) square += glm::dot(a[v] - b[v], a[v] - b[v]);
      CHECK(std::sqrt(square / static_cast<double>(a.size())) < 5e-4);
    }
  }

  TEST_CASE("the greater Poisson's ratio, the smaller the volume change") {
    const Limb& limb = coarseLimb();
    double before[2] = {-100.0, -100.0};
    for (double poisson : {0.3, 0.45, 0.49}) {
      SolveSettings settings;
      settings.material = materialOfPoisson(poisson);
      settings.descent.max_sweeps = 400;
      const Solved solved = solve(limb.tets, 2, settings,
                                  posed(limb, {{kBend, 90 * kDegree}, {kTwist, 135 * kDegree}}));
      for (std::size_t i = 0; i < 2; ++i) {
        const double change = volumeChange(limb, solved.positions[i]);
        CHECK(change > before[i]);
        before[i] = change;
      }
    }
    CHECK(std::abs(before[0]) < 0.8);
    CHECK(std::abs(before[1]) < 0.4);
  }

  // Half the difference between a pull and a push leaves out what is of second order.
  TEST_CASE("a bar that is pulled becomes thinner by Poisson's ratio") {
    const Limb& limb = coarseLimb();
    TetMesh bar = limb.tets;
    for (std::size_t v = 0; v < bar.hold.size(); ++v) {
      bar.hold[v] = std::abs(bar.positions[v].z) > 0.17 ? kInfinity : 0.0;
    }
    for (double poisson : {0.2, 0.45}) {
      SolveSettings settings;
      settings.material = materialOfPoisson(poisson);
      settings.descent = {1.85, 0.0, 0.0, 2000};
      const Solved solved = solve(
          bar, 2, settings, [&](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
            const double strain = frame == 0 ? 5e-3 : -5e-3;
            for (std::size_t v = 0; v < start.size(); ++v) {
              start[v] = target[v] = bar.positions[v] * Vec3(1, 1, 1 + strain);
            }
          });
      // Slopes of displacement in the middle, far from both ends, by least squares.
      double across[2] = {}, along[2] = {};
      for (std::size_t v = 0; v < bar.positions.size(); ++v) {
        const Vec3& p = bar.positions[v];
        if (std::abs(p.z) > 0.06) continue;
        const Vec3 path = 0.5 * (solved.positions[0][v] - solved.positions[1][v]);
        across[0] += path.x * p.x + path.y * p.y;
        across[1] += p.x * p.x + p.y * p.y;
        along[0] += path.z * p.z;
        along[1] += p.z * p.z;
      }
      const double ratio = -(across[0] / across[1]) / (along[0] / along[1]);
      CHECK(ratio == test::nearTo(poisson, 0.01));
    }
  }
}

TEST_SUITE("tet_bake: solver, symmetries") {
  TEST_CASE("neither unit nor size changes the result") {
    const Limb& limb = coarseLimb();
    const auto poses = rotations(16);
    const Solved expected = solve(limb.tets, 16, {}, posed(limb, poses));
    for (double unit : {1e-3, 0.3, 100.0}) {
      TetMesh scaled = limb.tets;
      for (Vec3& p : scaled.positions) p *= unit;
      Solved solved =
          solve(scaled, 16, {}, posed(limb, poses, [&](const Vec3& p) { return p * unit; }));
      for (std::size_t i = 0; i < 16; ++i) {
        for (Vec3& p : solved.positions[i]) p /= unit;
        CHECK(farthest(solved.positions[i], expected.positions[i]) < 1e-5 * limb.shape.length_m);
        CHECK(solved.stats[i].energy == test::nearTo(expected.stats[i].energy, 1e-4));
      }
    }
  }

  TEST_CASE("a rotated and moved pose gives the rotated and moved result") {
    const Limb& limb = coarseLimb();
    const auto poses = rotations(16);
    const Quat rotation = rotationAbout(glm::normalize(Vec3(-1, 0.3, 2)), 2.2);
    const auto whole = [&](const Vec3& p) { return rotation * p + Vec3(30, -2, 500); };
    SolveSettings settings;
    settings.descent = {1.85, 0.0, 0.0, 100};
    Solved expected = solve(limb.tets, 16, settings, posed(limb, poses));
    const Solved solved = solve(limb.tets, 16, settings, posed(limb, poses, whole));
    for (std::size_t i = 0; i < 16; ++i) {
      for (Vec3& p : expected.positions[i]) p = whole(p);
      CHECK(farthest(solved.positions[i], expected.positions[i]) < 1e-5 * limb.shape.length_m);
    }
  }

  TEST_CASE("the order of corners and tetrahedra changes the iterations, not the result") {
    const Limb& limb = coarseLimb();
    const std::size_t last = limb.tets.positions.size() - 1;
    TetMesh reversed = limb.tets;
    std::reverse(reversed.positions.begin(), reversed.positions.end());
    std::reverse(reversed.hold.begin(), reversed.hold.end());
    std::reverse(reversed.tets.begin(), reversed.tets.end());
    for (Tet& tet : reversed.tets) {
      for (std::uint32_t& corner : tet) corner = static_cast<std::uint32_t>(last - corner);
    }
    const LimbPose pose{kTwist, 120 * kDegree};
    SolveSettings settings;
    settings.descent = {1.85, 1e-6, 0.0, 2000};
    const Solved expected = solve(limb.tets, 1, settings, posed(limb, {pose}));
    Solved solved = solve(
        reversed, 1, settings, [&](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
          for (std::size_t v = 0; v <= last; ++v) {
            start[v] = target[v] = limbRotated(limb.shape, pose, reversed.positions[v]);
          }
        });
    std::reverse(solved.positions[0].begin(), solved.positions[0].end());
    CHECK(farthest(solved.positions[0], expected.positions[0]) < 1e-5 * limb.shape.length_m);
  }
}

TEST_SUITE("tet_bake: solver, the same bits") {
  const SolveMethod kMethods[] = {SolveMethod::kNeoHookean, SolveMethod::kReference,
                                  SolveMethod::kXpbd};

  TEST_CASE("for any number of threads") {
    const Limb& limb = coarseLimb();
    for (SolveMethod method : kMethods) {
      SolveSettings settings = quick();
      settings.method = method;
      settings.xpbd.edge_compliance = 0.1;
      settings.threads = 1;
      const Solved expected = solve(limb.tets, 45, settings, posed(limb, rotations(30)));
      for (int threads : {2, 8}) {
        settings.threads = threads;
        const Solved solved = solve(limb.tets, 45, settings, posed(limb, rotations(30)));
        REQUIRE(solved.positions == expected.positions);
      }
    }
  }

  TEST_CASE("for any vectors that the machine has") {
    const Limb& limb = coarseLimb();
    REQUIRE(instructionSets().size() >= test::kLeastInstructionSets);
    for (SolveMethod method : {SolveMethod::kNeoHookean, SolveMethod::kXpbd}) {
      SolveSettings settings = quick();
      settings.method = method;
      settings.xpbd.volume_compliance = 0.01;
      const Solved expected = solve(limb.tets, 5, settings, posed(limb, rotations(30)));
      for (const std::string& name : instructionSets()) {
        CAPTURE(name);
        useInstructionSet(name);
        const Solved solved = solve(limb.tets, 5, settings, posed(limb, rotations(30)));
        useBestInstructionSet();
        CHECK(solved.positions == expected.positions);
        for (std::size_t i = 0; i < 5; ++i) {
          CHECK(solved.stats[i].energy == expected.stats[i].energy);
          CHECK(solved.stats[i].j_min == expected.stats[i].j_min);
        }
      }
    }
  }

  TEST_CASE("for clips that share blocks") {
    const Limb& limb = coarseLimb();
    const std::vector<std::size_t> lengths = {5, 0, 20, 9};
    std::vector<Solved> shared;
    for (const std::size_t length : lengths) {
      shared.push_back(
          {std::vector<std::vector<Vec3>>(length), std::vector<FrameStats>(length), {}});
    }
    std::vector<ClipToSolve> clips;
    for (std::size_t c = 0; c < lengths.size(); ++c) {
      clips.push_back({lengths[c], posed(limb, rotations(20 + c)),
                       [&shared, c](std::size_t frame, std::span<const Vec3> positions,
                                    const FrameStats& stats) {
                         shared[c].positions[frame].assign(positions.begin(), positions.end());
                         shared[c].stats[frame] = stats;
                       }});
    }
    SolveSettings settings = quick();
    settings.threads = 2;
    CHECK_OK(solveClips(limb.tets, clips, settings));
    for (std::size_t c = 0; c < lengths.size(); ++c) {
      const Solved alone = solve(limb.tets, lengths[c], settings, clips[c].source);
      CHECK(shared[c].positions == alone.positions);
      for (std::size_t f = 0; f < lengths[c]; ++f) {
        CHECK(shared[c].stats[f].sweeps == alone.stats[f].sweeps);
        CHECK(shared[c].stats[f].j_p1 == alone.stats[f].j_p1);
      }
    }
  }

  TEST_CASE("for a frame among any others") {
    const Limb& limb = coarseLimb();
    const Solved together = solve(limb.tets, 20, {}, posed(limb, rotations(20)));
    for (std::size_t i : {std::size_t{0}, std::size_t{7}, std::size_t{19}}) {
      const Solved alone = solve(limb.tets, 1, {}, posed(limb, {rotations(20)[i]}));
      CHECK(alone.positions[0] == together.positions[i]);
      CHECK(alone.stats[0].sweeps == together.stats[i].sweeps);
    }
  }
}
