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

using namespace collision;  // NOLINT: the room that is measured

// The fat figure of the samples, of 5,940 triangles or more, and one of its clips.
struct FatFigure {
  Scene scene;
  HumanoidMap map;
  Motion motion;
  std::vector<std::vector<Affine>> worlds;  // metric, of every frame
};

using Gesture = KeyframeClip (*)(const samples::Rig& rig);

FatFigure makeFatFigure(std::size_t least_triangles = 0,
                        Gesture gesture = samples::armsThroughBellyClip) {
  const samples::Rig rig = samples::makeRig(samples::Accessories::kNone);
  FatFigure figure;
  figure.scene = makeFatScene(least_triangles);
  Clip clip;
  const KeyframeClip keys = gesture(rig);
  clip.name = keys.name;
  for (const Track& track : keys.tracks) clip.end_s = std::max(clip.end_s, track.times_s->back());
  clip.source = keyframeSource(figure.scene.skeleton, keys.tracks);
  figure.scene.clips.push_back(clip);
  figure.motion = sampleClip(figure.scene.skeleton, clip, 0, makeGrid(0.0, clip.end_s, 30.0));
  figure.map = findHumanoid(figure.scene);
  for (std::size_t i = 0; i < figure.motion.grid.frame_count; ++i) {
    computeWorlds(figure.scene.skeleton, figure.motion.localsOf(i), figure.scene.metric_from_file,
                  figure.worlds.emplace_back());
  }
  return figure;
}

// As many as the speed of the stage is stated for.
constexpr std::size_t kManyTriangles = 10000;

enum Volumes { kHybrid, kBoxesAlongAxes, kOrientedBoxes };

// Brings the volumes of all parts to a pose; items are frames. Table 1 of the paper: boxes that are
// carried along and spheres that are fitted again, against boxes along the axes of the world about
// all vertices, and against oriented boxes that are fitted again at the joints.
void updateVolumes(benchmark::State& state, Volumes volumes) {
  const FatFigure figure = makeFatFigure();
  const Proxies proxies(figure.scene, figure.map);
  PosedParts posed;
  std::vector<Vec3> points;
  std::vector<Box> boxes(proxies.parts().size());
  std::vector<Obb> oriented(proxies.parts().size());
  std::size_t frame = 0;
  for (auto _ : state) {
    posed.worlds = figure.worlds[frame];
    frame = (frame + 1) % figure.worlds.size();
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
        oriented[i] = principalObb(points);
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
  const FatFigure figure = makeFatFigure();
  const Proxies proxies(figure.scene, figure.map);
  const auto solver = ReferenceSolver::make(figure.scene, figure.map, proxies);
  if (!solver) return state.SkipWithError(describe(solver.error()).c_str());
  ReferenceCounts counts;
  for (auto _ : state) {
    Motion motion = figure.motion;
    counts = solver->solveClip(motion);
    benchmark::DoNotOptimize(motion);
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(figure.motion.grid.frame_count));
  state.counters["hit_key_frames"] = static_cast<double>(counts.hit_key_frames);
  state.counters["key_frames"] = static_cast<double>(counts.key_frames);
}
BENCHMARK(solveReference)->Unit(benchmark::kMillisecond);

// The stage as a whole, with what it measures on the skin; items are frames.
void runStage(benchmark::State& state, SelfCollisionMethod method, std::size_t least_triangles,
              Gesture gesture = samples::armsThroughBellyClip) {
  const FatFigure figure = makeFatFigure(least_triangles, gesture);
  SelfCollisionSettings settings;
  settings.method = method;
  for (auto _ : state) {
    auto results = runSelfCollision({figure.scene, std::span(&figure.motion, 1), 1}, settings);
    if (!results) return state.SkipWithError(describe(results.error()).c_str());
    benchmark::DoNotOptimize(results);
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(figure.motion.grid.frame_count));
  state.counters["triangles"] = static_cast<double>(triangleCount(figure.scene));
}
BENCHMARK_CAPTURE(runStage, exact, SelfCollisionMethod::kExact, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runStage, exact_of_10000, SelfCollisionMethod::kExact, kManyTriangles)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runStage, exact_of_10000_hips, SelfCollisionMethod::kExact, kManyTriangles,
                  samples::handsOnHipsClip)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runStage, exact_of_10000_legs, SelfCollisionMethod::kExact, kManyTriangles,
                  samples::legsCrossingClip)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runStage, reference, SelfCollisionMethod::kReference, 0)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clipmill
