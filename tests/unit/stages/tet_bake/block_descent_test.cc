// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <vector>

#include "checks.h"
#include "core/to_size.h"
#include "stages/tet_bake/limb.h"
#include "stages/tet_bake/solve/block_descent_simd.h"
#include "stages/tet_bake/solve/frame_block.h"
#include "stages/tet_bake/solve/frame_measures_simd.h"

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using clipmill::stages::tet_bake::Material;
using clipmill::test::distance;
using clipmill::test::Limb;
using clipmill::test::limbRotated;
using clipmill::test::makeLimb;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// In [-1, 1], from a linear congruential generator.
struct Noise {
  std::uint32_t state = 1;
  double next() {
    state = state * 1664525u + 1013904223u;
    return static_cast<double>(state >> 8) / (1 << 23) - 1.0;
  }
  Vec3 vector() {
    const double x = next(), y = next();
    return {x, y, next()};
  }
};

// Frames of a mesh, ready for sweeps by hand.
struct Sweeps {
  Material material;
  TetSystem system;
  DescentSystem descent;
  MeasureSystem measures;
  DescentBlock block;
  Vec3 origin_m{0.0};
  SweepLanes last;

  Sweeps(const TetMesh& mesh, const Material& m, std::size_t frames, const FrameSource& source)
      : material(m), system(makeTetSystem(mesh).value()) {
    descent = makeDescentSystem(system, material);
    measures = makeMeasureSystem(system, material);
    FrameBlock read = readFrames(system, 0, frames, source).value();
    origin_m = read.origin_m[0];
    block = {read.positions, read.targets, {}};
    for (std::size_t i = 0; i < frames; ++i) block.active.at[i] = 1.0f;
  }
  void run(int count, double over_relaxation) {
    for (int i = 0; i < count; ++i) {
      sweepCorners(descent, static_cast<float>(over_relaxation), block, last);
    }
  }
  // Elastic, in double precision.
  double energy(std::size_t lane) const {
    double sum = 0.0;
    for (const SolidTet& tet : system.tets) {
      sum += elasticEnergy(tet, material, cornersOf(tet.corners, lane));
    }
    return sum;
  }
  std::size_t inverted(std::size_t lane) const {
    std::vector<FloatLanes> ratios;
    measureFrames(measures, block.positions, &ratios);
    std::size_t count = 0;
    for (const FloatLanes& ratio : ratios) count += ratio.at[lane] <= 0.0f ? 1 : 0;
    return count;
  }
  Corners cornersOf(const Tet& tet, std::size_t lane) const {
    Corners x;
    for (std::size_t i = 0; i < 4; ++i) x[i] = positionOf(&block.positions[3 * tet[i]], lane);
    return x;
  }
  Vec3 positionOfCorner(std::size_t v, std::size_t lane) const {
    return origin_m + positionOf(&block.positions[3 * v], lane) * system.edge_m;
  }
  // Of the elastic energy, in double precision.
  Vec3 gradientOf(std::uint32_t corner, std::size_t lane) const {
    Vec3 sum(0.0);
    for (const SolidTet& tet : system.tets) {
      const Corners gradients = energyGradients(tet, material, cornersOf(tet.corners, lane));
      for (std::size_t i = 0; i < 4; ++i) {
        if (tet.corners[i] == corner) sum += gradients[i];
      }
    }
    return sum;
  }
};

// Sixteen poses of a limb: bends and twists of growing angles.
FrameSource posesOf(const Limb& limb) {
  return [&limb](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
    const test::LimbPose pose{frame % 2 == 0 ? Vec3(1, 0, 0) : Vec3(0, 0, 1),
                              10.0 * static_cast<double>(frame) * kDegree};
    for (std::size_t v = 0; v < start.size(); ++v) {
      start[v] = target[v] = limbRotated(limb.shape, pose, limb.tets.positions[v]);
    }
  };
}

// As posesOf(), each corner off its position by up to `max_m`.
FrameSource scrambled(const Limb& limb, double max_m) {
  return [&limb, max_m](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
    Noise noise{static_cast<std::uint32_t>(frame + 7)};
    for (std::size_t v = 0; v < start.size(); ++v) {
      target[v] = limb.tets.positions[v];
      start[v] = target[v] + max_m * noise.vector();
    }
  };
}

}  // namespace

TEST_SUITE("tet_bake: block descent") {
  TEST_CASE("a corner alone goes to where no force is left, in one step") {
    Limb limb = makeLimb({.cell_m = 0.025});
    std::uint32_t middle = 0;
    for (std::uint32_t v = 0; v < limb.tets.positions.size(); ++v) {
      if (glm::length(limb.tets.positions[v]) < glm::length(limb.tets.positions[middle]))
        middle = v;
    }
    limb.tets.hold.assign(limb.tets.positions.size(), kInfinity);
    limb.tets.hold[middle] = 0.0;
    Sweeps sweeps(limb.tets, Material{}, 1,
                  [&](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
                    Noise noise;
                    for (std::size_t v = 0; v < start.size(); ++v) {
                      start[v] = target[v] = limb.tets.positions[v] + 0.004 * noise.vector();
                    }
                  });
    const double before = glm::length(sweeps.gradientOf(middle, 0));
    sweeps.run(1, 1.0);
    CHECK(before > 0.1);
    CHECK(glm::length(sweeps.gradientOf(middle, 0)) < 1e-5 * before);
  }

  TEST_CASE("a corner held by a spring rests where spring and tetrahedra balance") {
    Limb limb = makeLimb({.cell_m = 0.025});
    limb.tets.hold.assign(limb.tets.positions.size(), kInfinity);
    limb.tets.hold[40] = 2.5;
    Sweeps sweeps(limb.tets, Material{}, 1,
                  [&](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
                    for (std::size_t v = 0; v < start.size(); ++v) {
                      start[v] = target[v] = limb.tets.positions[v];
                    }
                    target[40] += Vec3(0.004, -0.003, 0.002);
                  });
    sweeps.run(1, 1.0);
    const Vec3 target = positionOf(&sweeps.block.targets[0], 0);
    const Vec3 pull = 2.5 * (target - positionOf(&sweeps.block.positions[3 * 40], 0));
    CHECK(glm::length(pull) > 0.1);
    CHECK(distance(sweeps.gradientOf(40, 0), pull) < 1e-5);
  }

  TEST_CASE("energy never rises, and falls by what a sweep reports") {
    const Limb limb = makeLimb({.cell_m = 0.025});
    for (double poisson : {0.3, 0.45, 0.499}) {
      for (double over_relaxation : {1.0, 1.85, 1.95}) {
        CAPTURE(poisson);
        CAPTURE(over_relaxation);
        const Sweeps start(limb.tets, materialOfPoisson(poisson), kFrameLanes, posesOf(limb));
        Sweeps sweeps = start;
        for (std::size_t lane : {std::size_t{1}, std::size_t{8}, std::size_t{15}}) {
          sweeps = start;
          double energy = sweeps.energy(lane);
          for (int sweep = 0; sweep < 40; ++sweep) {
            sweeps.run(1, over_relaxation);
            const double after = sweeps.energy(lane);
            const double loss = static_cast<double>(sweeps.last.energy_loss.at[lane]);
            REQUIRE(after <= energy * (1.0 + 1e-6));
            REQUIRE(std::abs(energy - after - loss) < 1e-6 * energy + 1e-3 * loss);
            energy = after;
          }
        }
      }
    }
  }

  TEST_CASE("energies measured in lanes are those of double precision") {
    const Limb limb = makeLimb({.cell_m = 0.025});
    const Sweeps sweeps(limb.tets, Material{}, kFrameLanes, posesOf(limb));
    const auto measured = measureFrames(sweeps.measures, sweeps.block.positions, nullptr).energy;
    for (std::size_t lane = 0; lane < kFrameLanes; ++lane) {
      const double energy = sweeps.energy(lane);
      CHECK(std::abs(measured[lane] - energy) < 1e-6 * (energy + sweeps.system.volume));
    }
  }

  TEST_CASE("a scrambled body comes back to rest") {
    const Limb limb = makeLimb({.cell_m = 0.025});
    Sweeps sweeps(limb.tets, Material{}, 3, scrambled(limb, 0.02));
    CHECK(sweeps.inverted(0) > limb.tets.tets.size() / 10);
    sweeps.run(300, 1.85);
    for (std::size_t lane = 0; lane < 3; ++lane) {
      CHECK(sweeps.inverted(lane) == 0);
      double most = 0.0;
      for (std::size_t v = 0; v < limb.tets.positions.size(); ++v) {
        most = std::max(most, distance(sweeps.positionOfCorner(v, lane), limb.tets.positions[v]));
      }
      CHECK(most < 4e-5);
    }
  }

  TEST_CASE("one inverted tetrahedron returns to positive volume") {
    TetMesh mesh;
    mesh.positions = {Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    mesh.tets = {{0, 1, 2, 3}};
    mesh.hold = {kInfinity, kInfinity, kInfinity, 0.0};
    Sweeps sweeps(mesh, Material{}, 1,
                  [&](std::size_t, std::span<Vec3> start, std::span<Vec3> target) {
                    for (std::size_t v = 0; v < 4; ++v) start[v] = target[v] = mesh.positions[v];
                    start[3].z = -0.8;
                  });
    CHECK(sweeps.inverted(0) == 1);
    sweeps.run(1, 1.0);
    CHECK(sweeps.inverted(0) == 0);
    CHECK(distance(sweeps.positionOfCorner(3, 0), mesh.positions[3]) < 1e-6);
  }

  TEST_CASE("a frame that is not active stays as it is, and the others do not notice") {
    const Limb limb = makeLimb({.cell_m = 0.025});
    Sweeps all(limb.tets, Material{}, kFrameLanes, posesOf(limb));
    Sweeps some = all;
    for (std::size_t i = 0; i < kFrameLanes; i += 2) some.block.active.at[i] = 0.0f;
    const PositionLanes before = some.block.positions;
    all.run(7, 1.85);
    some.run(7, 1.85);
    for (std::size_t row = 0; row < before.size(); ++row) {
      for (std::size_t i = 0; i < kFrameLanes; ++i) {
        const float expected = i % 2 == 0 ? before[row].at[i] : all.block.positions[row].at[i];
        REQUIRE(some.block.positions[row].at[i] == expected);
      }
    }
  }

  TEST_CASE("stiff and firm tetrahedra have the energy and the forces of their own material") {
    Limb limb = makeLimb({.cell_m = 0.025});
    std::uint32_t middle = 0;
    for (std::uint32_t v = 0; v < limb.tets.positions.size(); ++v) {
      if (glm::length(limb.tets.positions[v]) < glm::length(limb.tets.positions[middle]))
        middle = v;
    }
    limb.tets.hold.assign(limb.tets.positions.size(), kInfinity);
    limb.tets.hold[middle] = 0.0;
    Noise noise{5};
    for (std::size_t t = 0; t < limb.tets.tets.size(); ++t) {
      limb.tets.stiffness.push_back(2.0 + 1.5 * noise.next());
      limb.tets.firmness.push_back(5.0 + 4.0 * noise.next());
    }
    Sweeps sweeps(limb.tets, Material{}, 1, scrambled(limb, 0.004));
    // Each tetrahedron by itself, in double precision.
    const auto forEachTet = [&](const auto& visit) {
      for (const SolidTet& tet : sweeps.system.tets) {
        ElasticTet plain = tet;
        for (double& spring : plain.springs) spring /= tet.stiffness;
        visit(tet, plain, Material{tet.firmness * Material{}.lambda},
              sweeps.cornersOf(tet.corners, 0));
      }
    };
    double energy = 0.0;
    forEachTet([&](const SolidTet& tet, const ElasticTet& plain, const Material& own,
                   const Corners& x) { energy += tet.stiffness * elasticEnergy(plain, own, x); });
    const BlockMeasures measured = measureFrames(sweeps.measures, sweeps.block.positions, nullptr);
    CHECK(energy > 0.0);
    CHECK(measured.energy[0] == test::nearTo(energy, 1e-4));

    const auto force = [&] {
      Vec3 sum(0.0);
      forEachTet(
          [&](const SolidTet& tet, const ElasticTet& plain, const Material& own, const Corners& x) {
            const Corners gradients = energyGradients(plain, own, x);
            for (std::size_t i = 0; i < 4; ++i) {
              if (tet.corners[i] == middle) sum += tet.stiffness * gradients[i];
            }
          });
      return glm::length(sum);
    };
    // The corner is not where it was carried to.
    for (int k = 0; k < 3; ++k) sweeps.block.positions[3 * middle + toSize(k)].at[0] += 0.2f;
    const double before = force();
    sweeps.run(1, 1.0);
    CHECK(force() < 1e-4 * before);
  }

  TEST_CASE("tissue five times as firm is that of five times the lambda, bit for bit") {
    Limb limb = makeLimb({.cell_m = 0.025});
    const auto solved = [&](const Material& material) {
      Sweeps sweeps(limb.tets, material, 8, posesOf(limb));
      sweeps.run(40, 1.85);
      return sweeps.block.positions;
    };
    const PositionLanes wanted = solved(Material{50.0});
    const PositionLanes soft = solved(Material{10.0});
    limb.tets.firmness.assign(limb.tets.tets.size(), 5.0);
    const PositionLanes firm = solved(Material{10.0});
    bool is_same = true, is_soft = true;
    for (std::size_t r = 0; r < wanted.size(); ++r) {
      for (std::size_t lane = 0; lane < kFrameLanes; ++lane) {
        is_same = is_same && firm[r].at[lane] == wanted[r].at[lane];
        is_soft = is_soft && soft[r].at[lane] == wanted[r].at[lane];
      }
    }
    CHECK(is_same);
    CHECK_FALSE(is_soft);
  }
}
