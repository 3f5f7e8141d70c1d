// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include "spring_peer_scene.h"
#include "stages/dynamic_bones/vrm_springs.h"
#include "stages/dynamic_bones/vrm_springs_simd.h"

namespace clipmill {
namespace {

// Items are joint steps; the time is that of the whole simulation with its output, one thread.
void vrm_springs(benchmark::State& state) {
  SpringPeerScene settings;
  settings.colliders = static_cast<int>(state.range(0));
  Scene scene = makeSpringPeerScene(settings);
  const Motion clip = makeSpringPeerMotion(settings, scene);
  const bones::VrmRig rig = bones::makeVrmRig(scene.springs, scene);
  Motion out = clip;
  std::size_t steps = 0;
  for (auto _ : state) {
    steps += bones::simulateVrm(rig, scene, clip, out).joint_steps;
    benchmark::DoNotOptimize(out.locals.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(steps));
  state.SetLabel(bones::springInstructionSets().front());
}

BENCHMARK(vrm_springs)
    ->ArgName("colliders")
    ->Arg(0)
    ->Arg(8)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace clipmill
