// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// A baked clip of 65 joints and 1,000 frames: read, evaluated at every frame, and written back with
// new keys for all joints. CLIPMILL_BENCH_FBX names another file to measure.
#include <cstdlib>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "anim/motion.h"
#include "baked_clip.h"
#include "io/fbx/patch.h"
#include "io/fbx/read.h"

namespace {

using namespace clipmill;

const Bytes& bakedFile() {
  static const Bytes bytes = [] {
    const char* file = std::getenv("CLIPMILL_BENCH_FBX");
    return file ? readFile(file, std::uint64_t{1} << 30).value() : bench::bakedFbx();
  }();
  return bytes;
}

struct Loaded {
  std::shared_ptr<const io::fbx::Document> document;
  io::fbx::ReadScene read;
};

Loaded loadBaked() {
  const io::Limits limits;
  auto document = io::fbx::readDocument(io::fbx::parseTree(bakedFile(), limits).value()).value();
  io::fbx::ReadScene read = io::fbx::readScene(*document, false, limits).value();
  return {std::move(document), std::move(read)};
}

Motion sampleFirst(const Scene& scene) {
  const Clip& clip = scene.clips.front();
  return sampleClip(scene.skeleton, clip, 0, makeGrid(clip.start_s, clip.end_s, clip.fps));
}

std::vector<Track> tracksOfAll(const Scene& scene) {
  Motion motion = sampleFirst(scene);
  for (int node = 0; node < static_cast<int>(scene.skeleton.size()); ++node)
    motion.modified.set(node, TrackPath::kRotation);
  return tracksOf(scene.skeleton, motion);
}

std::int64_t timesRun(const benchmark::State& state, std::size_t count) {
  return static_cast<std::int64_t>(state.iterations() * count);
}

void loadFbx(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(loadBaked().read.scene.clips.size());
  state.SetBytesProcessed(timesRun(state, bakedFile().size()));
}
BENCHMARK(loadFbx)->Unit(benchmark::kMillisecond);

// Items are poses of one joint.
void evaluateFbx(benchmark::State& state) {
  const Loaded loaded = loadBaked();
  std::size_t poses = 0;
  for (auto _ : state) {
    const Motion motion = sampleFirst(loaded.read.scene);
    benchmark::DoNotOptimize(motion.locals.data());
    poses = motion.locals.size();
  }
  state.SetItemsProcessed(timesRun(state, poses));
}
BENCHMARK(evaluateFbx)->Unit(benchmark::kMillisecond);

// Items are new keys.
void patchFbx(benchmark::State& state) {
  const Loaded loaded = loadBaked();
  const Scene& scene = loaded.read.scene;
  const std::vector<Track> tracks = tracksOfAll(scene);
  std::size_t keys = 0;
  for (const Track& track : tracks) keys += track.times_s->size();
  const io::ClipEdit edit{0, tracks, std::nullopt};
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        io::fbx::patchDocument(*loaded.document, loaded.read, scene, std::span(&edit, 1)).value());
  }
  state.SetItemsProcessed(timesRun(state, keys));
}
BENCHMARK(patchFbx)->Unit(benchmark::kMillisecond);

// All of it; items are poses of one joint.
void throughFbx(benchmark::State& state) {
  std::size_t poses = 0;
  for (auto _ : state) {
    const Loaded loaded = loadBaked();
    const std::vector<Track> tracks = tracksOfAll(loaded.read.scene);
    const io::ClipEdit edit{0, tracks, std::nullopt};
    benchmark::DoNotOptimize(io::fbx::patchDocument(*loaded.document, loaded.read,
                                                    loaded.read.scene, std::span(&edit, 1))
                                 .value());
    poses = tracks.size() * tracks.front().times_s->size();
  }
  state.SetItemsProcessed(timesRun(state, poses));
  state.SetBytesProcessed(timesRun(state, bakedFile().size()));
}
BENCHMARK(throughFbx)->Unit(benchmark::kMillisecond);

}  // namespace
