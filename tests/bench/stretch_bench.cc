// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include "anim/clip.h"
#include "anim/motion.h"
#include "make_samples/leap.h"
#include "make_samples/samples.h"
#include "stages/stretch/stretch.h"

namespace clipmill {
namespace {

// Frames a second at which the leap has 100 frames.
constexpr double kLeapFps = 48.0;

struct Leap {
  Scene scene;
  Motion motion;
};

// The leap of the samples on the character with all its hair, skirt and tail.
Leap makeLeap() {
  const samples::Rig rig = samples::makeRig(samples::Accessories::kAll);
  Leap leap;
  leap.scene = samples::makeHumanoid(rig, {}, samples::Accessories::kAll);
  Clip clip;
  const KeyframeClip keys = samples::leapClip(rig);
  clip.name = keys.name;
  clip.end_s = keys.tracks.front().times_s->back();
  clip.source = keyframeSource(leap.scene.skeleton, keys.tracks);
  leap.scene.clips.push_back(clip);
  leap.motion = sampleClip(leap.scene.skeleton, clip, 0, makeGrid(0.0, clip.end_s, kLeapFps));
  return leap;
}

// Items are clips; the time includes measuring and copying the motion.
void stretchLeap(benchmark::State& state) {
  const Leap leap = makeLeap();
  stages::stretch::StretchSettings settings;
  settings.distance_m = {5.0};
  settings.feet = state.range(0) ? locomotion::FeetPolicy::kLock : locomotion::FeetPolicy::kOff;
  settings.yaw =
      state.range(1) ? stages::stretch::YawPolicy::kFacePath : stages::stretch::YawPolicy::kKeep;
  for (auto _ : state) {
    auto results =
        stages::stretch::runStretch({leap.scene, std::span(&leap.motion, 1), 1}, settings);
    if (!results) return state.SkipWithError(describe(results.error()).c_str());
    benchmark::DoNotOptimize(results);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["joints"] = static_cast<double>(leap.scene.skeleton.size());
  state.counters["frames"] = static_cast<double>(leap.motion.grid.frame_count);
}

BENCHMARK(stretchLeap)
    ->ArgNames({"feet", "face_path"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clipmill
