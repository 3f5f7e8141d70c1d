// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include "core/instruction_set_simd.h"
#include "spring_peer_scene.h"
#include "stages/dynamic_bones/chains/file_springs.h"
#include "stages/dynamic_bones/dynamic_bones.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/springs/grid_step.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/dynamic_bones/vrm/vrm_springs.h"

namespace clipmill {
namespace {

// Items are joint steps; the time is that of the whole simulation with its output, one thread.
void vrm_springs(benchmark::State& state) {
  SpringPeerScene settings;
  settings.colliders = static_cast<int>(state.range(0));
  Scene scene = makeSpringPeerScene(settings);
  const Motion clip = makeSpringPeerMotion(settings, scene);
  const stages::dynamic_bones::VrmRig rig = stages::dynamic_bones::makeVrmRig(scene.springs, scene);
  Motion out = clip;
  std::size_t steps = 0;
  for (auto _ : state) {
    steps += stages::dynamic_bones::simulateVrm(rig, scene, clip, out).joint_steps;
    benchmark::DoNotOptimize(out.locals.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(steps));
  state.SetLabel(instructionSets().front());
}

// The same clip baked by method rod or spring, with its contacts: two to four times as many steps.
// The time is that of the simulation; that of the stage has what its report measures too. The stage
// gets a clip that it may take over, as in a run; making one and throwing it away do not count.
void bake_of_peer_scene(benchmark::State& state) {
  using stages::dynamic_bones::DynamicBonesMethod;
  const bool is_rod = state.range(0) != 0, with_report = state.range(1) != 0;
  const int threads = static_cast<int>(state.range(2));
  SpringPeerScene peer;
  Scene scene = makeSpringPeerScene(peer);
  const Motion clip = makeSpringPeerMotion(peer, scene);
  stages::dynamic_bones::DynamicBonesSettings settings;
  settings.loop = stages::dynamic_bones::LoopPolicy::kOff;
  settings.method = is_rod ? DynamicBonesMethod::kRod : DynamicBonesMethod::kSpring;
  if (!stages::dynamic_bones::addFileSprings(scene, settings))
    return state.SkipWithError("no springs");
  const auto rig = stages::dynamic_bones::makeRig(scene, settings);
  if (!rig) return state.SkipWithError(describe(rig.error()).c_str());
  const double step_s = stages::dynamic_bones::gridStep_s(*rig, settings, scene);
  Motion out = clip;
  for (auto _ : state) {
    if (with_report) {
      state.PauseTiming();
      out = clip;
      state.ResumeTiming();
      auto results = stages::dynamic_bones::runDynamicBones(
          {scene, stages::StageMotions::toTake(std::span(&out, 1)), threads}, settings);
      benchmark::DoNotOptimize(results);
      state.PauseTiming();
      out = std::move(results->front().motion);
      results = std::vector<stages::StageResult>();
      state.ResumeTiming();
    } else {
      stages::dynamic_bones::simulateSpring(*rig, settings, scene, clip, {}, step_s, out, threads);
      benchmark::DoNotOptimize(out.locals.data());
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * clip.grid.frame_count));
}

BENCHMARK(bake_of_peer_scene)
    ->ArgNames({"rod", "report", "threads"})
    ->ArgsProduct({{0, 1}, {0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

BENCHMARK(vrm_springs)
    ->ArgName("colliders")
    ->Arg(0)
    ->Arg(8)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace clipmill
