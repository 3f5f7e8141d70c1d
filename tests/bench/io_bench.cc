// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// A character of 55 nodes with 76 clips, the size of a common game character: read, sampled at 30
// frames a second, and written back with new keys on six nodes of every clip. CLIPMILL_BENCH_FILE
// names another file to measure.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "anim/motion.h"
#include "core/portable_math.h"
#include "io/gltf/document.h"
#include "io/gltf/patch.h"
#include "io/gltf/read.h"
#include "io/gltf/write.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;

constexpr int kNodes = 55, kClips = 76, kGltfKeys = 37;

Track swingOf(int node, const KeyTimes& times, double phase) {
  Track track{node, TrackPath::kRotation, Interpolation::kLinear, 4, times, {}};
  for (double t : *times) {
    const Quat q = rotationAbout(Vec3(0, 0, 1), 0.5 * portable::sin(4.0 * t + phase));
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
  }
  return track;
}

Bytes characterBytes() {
  Scene scene;
  for (int i = 0; i < kNodes; ++i) {
    Node node;
    node.name = "Joint" + std::to_string(i);
    node.parent = i == 0 ? -1 : (i - 1) / 2;
    node.source_id = i;
    node.rest.translation = Vec3(0.0, 0.1, 0.0);
    scene.skeleton.nodes.push_back(node);
  }
  auto times = std::make_shared<std::vector<double>>();
  for (int k = 0; k < kGltfKeys; ++k) times->push_back(static_cast<float>(k / 30.0));
  std::vector<KeyframeClip> clips;
  for (int c = 0; c < kClips; ++c) {
    KeyframeClip clip;
    clip.name = "Clip" + std::to_string(c);
    for (int i = 0; i < kNodes; ++i) clip.tracks.push_back(swingOf(i, times, 0.1 * (i + c)));
    clips.push_back(std::move(clip));
  }
  return writeGlb(scene, clips).value();
}

const Bytes& character() {
  static const Bytes bytes = [] {
    const char* file = std::getenv("CLIPMILL_BENCH_FILE");
    return file ? readFile(file, std::uint64_t{1} << 30).value() : characterBytes();
  }();
  return bytes;
}

struct LoadedGltf {
  std::shared_ptr<const io::gltf::Document> document;
  Scene scene;
};

LoadedGltf loadCharacter() {
  const io::Limits limits;
  auto document = io::gltf::parseDocument(character(), {}, limits).value();
  Scene scene = io::gltf::readScene(*document, false, limits).value();
  return {std::move(document), std::move(scene)};
}

void loadGltf(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(loadCharacter().scene.clips.size());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * character().size()));
}
BENCHMARK(loadGltf)->Unit(benchmark::kMillisecond);

void sampleClips(benchmark::State& state) {
  const LoadedGltf loaded = loadCharacter();
  std::size_t poses = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < loaded.scene.clips.size(); ++i) {
      const Clip& clip = loaded.scene.clips[i];
      const Motion motion = sampleClip(loaded.scene.skeleton, clip, static_cast<int>(i),
                                       makeGrid(clip.start_s, clip.end_s, 30.0));
      benchmark::DoNotOptimize(motion.locals.data());
      poses += motion.grid.frame_count * motion.node_count;
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(poses));
  state.SetBytesProcessed(static_cast<std::int64_t>(poses * sizeof(Transform)));
}
BENCHMARK(sampleClips)->Unit(benchmark::kMillisecond);

void patchGltf(benchmark::State& state) {
  const LoadedGltf loaded = loadCharacter();
  std::vector<io::ClipEdit> edits;
  for (std::size_t i = 0; i < loaded.scene.clips.size(); ++i) {
    const Clip& clip = loaded.scene.clips[i];
    Motion motion = sampleClip(loaded.scene.skeleton, clip, static_cast<int>(i),
                               makeGrid(clip.start_s, clip.end_s, 30.0));
    for (int node = 1; node < 7; ++node) motion.modified.set(node, TrackPath::kRotation);
    edits.push_back({static_cast<int>(i), tracksOf(loaded.scene.skeleton, motion)});
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        io::gltf::patchDocument(*loaded.document, loaded.scene.skeleton, edits).value().size());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * character().size()));
}
BENCHMARK(patchGltf)->Unit(benchmark::kMillisecond);

}  // namespace
