// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include "anim/key_reduction.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

constexpr int kReducedJoints = 60;

// Limbs of ten joints each on one root, 10 cm a bone, swaying at different speeds.
Skeleton makeLimbs() {
  Skeleton skeleton;
  for (int i = 0; i < kReducedJoints; ++i) {
    Node node;
    node.name = "joint" + std::to_string(i);
    node.parent = i == 0 ? -1 : (i % 10 == 1 ? 0 : i - 1);
    node.rest.translation = Vec3(0.0, 0.1, 0.0);
    skeleton.nodes.push_back(node);
  }
  return skeleton;
}

Motion makeSway(const Skeleton& skeleton, std::size_t frames) {
  Motion motion;
  motion.grid = makeGrid(0.0, static_cast<double>(frames - 1) / 30.0, 30.0);
  motion.node_count = skeleton.size();
  motion.modified = TrackMask(skeleton.size());
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const double time_s = motion.grid.timeOf(frame);
    for (int i = 0; i < kReducedJoints; ++i) {
      Transform local = skeleton.nodes[toSize(i)].rest;
      const double swing =
          portable::sin(time_s * (2.0 + 0.05 * i)) + 0.3 * portable::sin(time_s * (5.0 + 0.1 * i));
      local.rotation = rotationAbout(Vec3(i % 3 == 0, i % 3 == 1, i % 3 == 2), 0.3 * swing);
      motion.locals.push_back(local);
      motion.modified.set(i, TrackPath::kRotation);
    }
  }
  return motion;
}

// Items are keys before the reduction; arguments are the tolerance in tenths of a
// millimetre and the number of frames.
void reduceSway(benchmark::State& state) {
  const Skeleton skeleton = makeLimbs();
  const Motion motion = makeSway(skeleton, toSize(state.range(1)));
  const std::vector<double> reach(skeleton.size(), 0.1);
  const KeyReductionSettings settings{static_cast<double>(state.range(0)) * 1e-4, 1e-4, reach};
  ReducedKeys reduced;
  for (auto _ : state) {
    reduced = reduceKeys(skeleton, motion, settings);
    benchmark::DoNotOptimize(reduced.keys_after);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(reduced.keys_before));
  state.counters["kept"] =
      static_cast<double>(reduced.keys_after) / static_cast<double>(reduced.keys_before);
  state.counters["error/tolerance"] = reduced.worst_error / settings.tolerance;
}
BENCHMARK(reduceSway)
    ->Args({1, 1000})
    ->Args({10, 1000})
    ->Args({100, 1000})
    ->Args({100, 10000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clipmill
