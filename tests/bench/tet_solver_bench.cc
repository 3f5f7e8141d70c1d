// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/instruction_set_simd.h"
#include "core/portable_math.h"
#include "stages/tet_bake/solve/block_descent_simd.h"
#include "stages/tet_bake/solve/solve_clip.h"
#include "stages/tet_bake/solve/xpbd_simd.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr int kCubes = 16;

// A box of 16 x 16 x 16 cubes of five tetrahedra each: 20,480 tetrahedra, 4,913 corners, their
// orientation alternating so that neighbours share faces. The ends along x are held.
TetMesh box() {
  TetMesh mesh;
  constexpr std::uint32_t kSide = kCubes + 1;
  for (std::uint32_t i = 0; i < kSide * kSide * kSide; ++i) {
    const std::uint32_t x = i / (kSide * kSide), y = i / kSide % kSide, z = i % kSide;
    mesh.positions.push_back(Vec3(x, y, z));
    const bool is_end = x == 0 || x == kCubes;
    mesh.hold.push_back(is_end ? std::numeric_limits<double>::infinity() : 0.0);
  }
  for (std::uint32_t i = 0; i < kCubes * kCubes * kCubes; ++i) {
    const std::uint32_t x = i / (kCubes * kCubes), y = i / kCubes % kCubes, z = i % kCubes;
    const auto corner = [&](std::uint32_t bits) {
      // Odd cubes are mirrored along x.
      const std::uint32_t dx = (bits & 1) ^ ((x + y + z) & 1);
      return ((x + dx) * kSide + y + (bits >> 1 & 1)) * kSide + z + (bits >> 2);
    };
    for (const auto& [a, b, c, d] :
         {Tet{0, 1, 2, 4}, Tet{3, 2, 1, 7}, Tet{5, 4, 7, 1}, Tet{6, 7, 4, 2}, Tet{1, 2, 4, 7}}) {
      mesh.tets.push_back({corner(a), corner(b), corner(c), corner(d)});
    }
  }
  return mesh;
}

// Frames in which the box is twisted along x, by up to 90 degrees.
FrameSource twisted(const TetMesh& mesh) {
  return [&mesh](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
    for (std::size_t v = 0; v < start.size(); ++v) {
      const Vec3& p = mesh.positions[v];
      const auto rotation =
          portable::sinCos(p.x / kCubes * static_cast<double>(frame % 10) * 0.1 * kPi);
      const double y = p.y - 0.5 * kCubes, z = p.z - 0.5 * kCubes;
      start[v] = target[v] = Vec3(p.x, rotation.cosine * y - rotation.sine * z,
                                  rotation.sine * y + rotation.cosine * z);
    }
  };
}

PositionLanes lanesOf(const TetMesh& mesh, double scale) {
  PositionLanes lanes(3 * mesh.positions.size());
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    for (std::size_t lane = 0; lane < kFrameLanes; ++lane) {
      const double stretch = scale * (1.0 + 0.02 * static_cast<double>(lane));
      setPosition(mesh.positions[v] * Vec3(stretch, scale, scale), lane, &lanes[3 * v]);
    }
  }
  return lanes;
}

const char* const kSets[] = {"SSSE3", "AVX2", "AVX3"};

// Runs with the instruction set of the first argument; skips where the machine has none.
bool choose(benchmark::State& state) {
  const std::string name = kSets[state.range(0)];
  for (const std::string& one : instructionSets()) {
    if (one != name) continue;
    useInstructionSet(name);
    state.SetLabel(name);
    return true;
  }
  state.SkipWithError("the machine does not have it");
  return false;
}

// Items are tetrahedra in one frame, each swept once.
void tet_neo_hookean(benchmark::State& state) {
  if (!choose(state)) return;
  const TetMesh mesh = box();
  const TetSystem system = makeTetSystem(mesh).value();
  const DescentSystem descent = makeDescentSystem(system, Material{});
  DescentBlock block{lanesOf(mesh, 1.0 / system.edge_m), {}, {}};
  for (float& active : block.active.at) active = 1.0f;
  SweepLanes result;
  for (auto _ : state) {
    sweepCorners(descent, 1.85f, block, result);
    benchmark::DoNotOptimize(block.positions.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<long>(system.tets.size() * kFrameLanes));
  useBestInstructionSet();
}
BENCHMARK(tet_neo_hookean)->DenseRange(0, 2);

// Items are constraints of one frame: edge lengths and volumes, each projected once.
void tet_xpbd(benchmark::State& state) {
  if (!choose(state)) return;
  const TetMesh mesh = box();
  const TetSystem system = makeTetSystem(mesh).value();
  XpbdSettings settings;
  settings.edge_compliance = settings.volume_compliance = state.range(1) == 0 ? 0.0 : 0.1;
  const XpbdSystem constraints = makeXpbdSystem(system, settings);
  XpbdBlock block = makeXpbdBlock(constraints, lanesOf(mesh, 1.0 / system.edge_m), {});
  for (auto _ : state) {
    projectConstraints(constraints, block);
    benchmark::DoNotOptimize(block.positions.data());
  }
  const std::size_t count = constraints.edges.size() + constraints.tets.size();
  state.SetItemsProcessed(state.iterations() * static_cast<long>(count * kFrameLanes));
  useBestInstructionSet();
}
BENCHMARK(tet_xpbd)->ArgsProduct({{0, 1, 2}, {0, 1}});

// Items are frames of 20,480 tetrahedra, swept 60 times on one thread, with reading, measures and
// writing. The first argument is that of choose(); the second the number of threads.
void tet_clip(benchmark::State& state) {
  if (!choose(state)) return;
  const TetMesh mesh = box();
  SolveSettings settings;
  settings.threads = static_cast<int>(state.range(1));
  settings.descent = {1.85, 0.0, 0.0, 60};
  constexpr std::size_t kFrames = 64;
  for (auto _ : state) {
    double sum = 0.0;
    const auto result =
        solveClip(mesh, kFrames, settings, twisted(mesh),
                  [&](std::size_t frame, std::span<const Vec3> solved, const FrameStats&) {
                    if (frame == 0) sum += solved[0].x;
                  });
    if (!result) state.SkipWithError("not solved");
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<long>(kFrames));
  useBestInstructionSet();
}
BENCHMARK(tet_clip)->ArgsProduct({{1, 2}, {1, 2}})->UseRealTime();

}  // namespace
}  // namespace clipmill::stages::tet_bake
