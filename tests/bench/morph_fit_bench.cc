// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cstdint>

#include <benchmark/benchmark.h>

#include "core/portable_math.h"
#include "stages/tet_bake/morphs/morph_fit.h"

namespace clipmill::stages::tet_bake {
namespace {

// Twenty waves along a row of points, each at a pace of its own.
PointDisplacements waves(std::size_t points, std::size_t frames) {
  constexpr int kWaves = 20;
  PointDisplacements displacements(points, frames);
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t f = 0; f < frames; ++f) {
      Vec3 sum(0.0);
      for (int k = 1; k <= kWaves; ++k) {
        const double along = static_cast<double>(p) / static_cast<double>(points);
        const double time = static_cast<double>(f) / static_cast<double>(frames);
        const double height = portable::sinCos(kPi * k * along).sine / k;
        sum[k % 3] += 0.02 * height * portable::sinCos(kPi * (k + 2) * time + k).sine;
      }
      displacements.set(p, f, sum);
    }
  }
  return displacements;
}

// Morphs of one region of `range(0)` points over `range(1)` frames; items are numbers of the
// displacements.
void fitOneRegion(benchmark::State& state) {
  const auto points = static_cast<std::size_t>(state.range(0));
  const auto frames = static_cast<std::size_t>(state.range(1));
  const PointDisplacements displacements = waves(points, frames);
  MorphRegion region;
  for (std::size_t p = 0; p < points; ++p) {
    region.points.push_back(static_cast<std::uint32_t>(p));
    region.shares.push_back(1.0);
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(fitMorphs(displacements, {&region, 1}, region, {}));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1) * 3);
}
// All eigenvectors of the Gram matrix of frames; the leading ones of frames; those of coordinates.
BENCHMARK(fitOneRegion)
    ->Args({2000, 120})
    ->Args({2000, 1000})
    ->Args({200, 2000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clipmill::stages::tet_bake
