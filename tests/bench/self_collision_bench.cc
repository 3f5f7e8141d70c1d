// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include <benchmark/benchmark.h>

#include "anim/clip.h"
#include "anim/motion.h"
#include "anim/pose.h"
#include "fat_scene.h"
#include "make_samples/gestures.h"
#include "make_samples/samples.h"
#include "mesh/triangle_bvh.h"
#include "stages/self_collision/proxies.h"
#include "stages/self_collision/reference.h"
#include "stages/self_collision/self_collision.h"

namespace clipmill {
namespace {

using namespace stages::self_collision;  // NOLINT: the stage that is measured

// The stout character of the samples, of 5,940 triangles or more, and one of its clips.
struct FatCharacter {
  Scene scene;
  humanoid::HumanoidMap map;
  Motion motion;
  std::vector<std::vector<Affine>> worlds;  // metric, of every frame
};

using Gesture = KeyframeClip (*)(const samples::Rig& rig);

FatCharacter makeFatCharacter(std::size_t least_triangles = 0,
                              Gesture gesture = samples::armsThroughBellyClip) {
  const samples::Rig rig = samples::makeRig(samples::Accessories::kNone);
  FatCharacter character;
  character.scene = makeFatScene(least_triangles);
  Clip clip;
  const KeyframeClip keys = gesture(rig);
  clip.name = keys.name;
  for (const Track& track : keys.tracks) clip.end_s = std::max(clip.end_s, track.times_s->back());
  clip.source = keyframeSource(character.scene.skeleton, keys.tracks);
  character.scene.clips.push_back(clip);
  character.motion = sampleClip(character.scene.skeleton, clip, 0, makeGrid(0.0, clip.end_s, 30.0));
  character.map = humanoid::findHumanoid(character.scene);
  for (std::size_t i = 0; i < character.motion.grid.frame_count; ++i) {
    computeWorlds(character.scene.skeleton, character.motion.localsOf(i),
                  character.scene.metric_from_file, character.worlds.emplace_back());
  }
  return character;
}

// As many as the speed of the stage is stated for.
constexpr std::size_t kManyTriangles = 10000;

enum Volumes { kHybrid, kBoxesAlongAxes, kOrientedBoxes };

// Brings the volumes of all parts to a pose; items are frames. Table 1 of the paper: boxes that are
// carried along and spheres that are fitted again, against boxes along the axes of the world about
// all vertices, and against oriented boxes that are fitted again at the joints.
void updateVolumes(benchmark::State& state, Volumes volumes) {
  const FatCharacter character = makeFatCharacter();
  const stages::self_collision::Proxies proxies(character.scene, character.map);
  stages::self_collision::PosedParts posed;
  std::vector<Vec3> points;
  std::vector<Box> boxes(proxies.parts().size());
  std::vector<stages::self_collision::Obb> oriented(proxies.parts().size());
  std::size_t frame = 0;
  for (auto _ : state) {
    posed.worlds = character.worlds[frame];
    frame = (frame + 1) % character.worlds.size();
    if (volumes == kHybrid) {
      proxies.refit(posed);
    } else if (volumes == kBoxesAlongAxes) {
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        proxies.pointsOf(i, posed.worlds, points);
        boxes[i] = Box{};
        for (const Vec3& point : points) boxes[i].add(point);
      }
    } else {
      for (std::size_t i = 0; i < oriented.size(); ++i) {
        proxies.pointsOf(i, posed.worlds, points);
        oriented[i] = stages::self_collision::principalObb(points);
      }
    }
    benchmark::DoNotOptimize(posed.whole);
    benchmark::DoNotOptimize(boxes.data());
    benchmark::DoNotOptimize(oriented.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["parts"] = static_cast<double>(proxies.parts().size());
  state.counters["boxes"] = static_cast<double>(proxies.boxCount());
}

BENCHMARK_CAPTURE(updateVolumes, hybrid, kHybrid)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(updateVolumes, axis_aligned_only, kBoxesAlongAxes)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(updateVolumes, oriented_only, kOrientedBoxes)->Unit(benchmark::kMicrosecond);

// The published method without the report; items are frames of the clip.
void solveReference(benchmark::State& state) {
  const FatCharacter character = makeFatCharacter();
  const stages::self_collision::Proxies proxies(character.scene, character.map);
  const auto solver =
      stages::self_collision::ReferenceSolver::make(character.scene, character.map, proxies);
  if (!solver) return state.SkipWithError(describe(solver.error()).c_str());
  stages::self_collision::ReferenceCounts counts;
  for (auto _ : state) {
    Motion motion = character.motion;
    counts = solver->solveClip(motion);
    benchmark::DoNotOptimize(motion);
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(character.motion.grid.frame_count));
  state.counters["overlapping_key_frames"] = static_cast<double>(counts.overlapping_key_frames);
  state.counters["key_frames"] = static_cast<double>(counts.key_frames);
}
BENCHMARK(solveReference)->Unit(benchmark::kMillisecond);

// The stage as a whole, with what it measures on the skin; items are frames.
void runStage(benchmark::State& state, stages::self_collision::SelfCollisionMethod method,
              std::size_t least_triangles, Gesture gesture = samples::armsThroughBellyClip) {
  const FatCharacter character = makeFatCharacter(least_triangles, gesture);
  stages::self_collision::SelfCollisionSettings settings;
  settings.method = method;
  for (auto _ : state) {
    auto results = stages::self_collision::runSelfCollision(
        {character.scene, std::span(&character.motion, 1), 1}, settings);
    if (!results) return state.SkipWithError(describe(results.error()).c_str());
    benchmark::DoNotOptimize(results);
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(character.motion.grid.frame_count));
  state.counters["triangles"] = static_cast<double>(triangleCount(character.scene));
}
BENCHMARK_CAPTURE(runStage, exact, stages::self_collision::SelfCollisionMethod::kExact, 0)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runStage, exact_of_10000, stages::self_collision::SelfCollisionMethod::kExact,
                  kManyTriangles)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runStage, exact_of_10000_hips,
                  stages::self_collision::SelfCollisionMethod::kExact, kManyTriangles,
                  samples::handsOnHipsClip)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runStage, exact_of_10000_legs,
                  stages::self_collision::SelfCollisionMethod::kExact, kManyTriangles,
                  samples::legsCrossingClip)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runStage, reference, stages::self_collision::SelfCollisionMethod::kReference, 0)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clipmill
