// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "anim/clip.h"
#include "anim/motion.h"
#include "core/portable_math.h"
#include "stages/stretch/stretch.h"

namespace clipmill {
namespace {

constexpr int kJoints = 65, kChain = 4;
constexpr std::size_t kFrames = 100;
constexpr double kFps = 30.0;

// A root with chains of four joints, all in one skin.
Scene makeScene() {
  Scene scene;
  Skin skin;
  for (int i = 0; i < kJoints; ++i) {
    Node node;
    node.name = "joint" + std::to_string(i);
    node.parent = i == 0 ? -1 : (i - 1) % kChain == 0 ? 0 : i - 1;
    node.rest.translation = Vec3(0.02 * (i % 7), i == 0 ? 0.0 : 0.3, 0.0);
    scene.skeleton.nodes.push_back(node);
    skin.joints.push_back(i);
  }
  skin.joint_from_bind.resize(skin.joints.size());
  scene.skins.push_back(std::move(skin));
  return scene;
}

// One key a frame: the root goes a curved way, every joint turns.
Motion makeMotion(const Scene& scene) {
  auto times = std::make_shared<std::vector<double>>();
  for (std::size_t i = 0; i < kFrames; ++i) times->push_back(static_cast<double>(i) / kFps);
  Track way{0, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {}};
  for (double t : *times) {
    way.values.insert(way.values.end(), {0.5 * portable::sin(t), 0.0, 1.2 * t});
  }
  std::vector<Track> tracks = {way};
  for (int joint = 0; joint < kJoints; ++joint) {
    Track turn{joint, TrackPath::kRotation, Interpolation::kLinear, 4, times, {}};
    for (double t : *times) {
      const Quat q = rotationAbout(Vec3(0, 1, 0), 0.3 * portable::sin(3 * t + joint));
      turn.values.insert(turn.values.end(), {q.x, q.y, q.z, q.w});
    }
    tracks.push_back(std::move(turn));
  }
  Clip clip;
  clip.end_s = times->back();
  clip.fps = kFps;
  clip.source = keyframeSource(scene.skeleton, std::move(tracks));
  return sampleClip(scene.skeleton, clip, 0, makeGrid(0.0, clip.end_s, kFps));
}

// Items are clips of 65 joints and 100 frames; the time includes measuring and copying the motion.
void stretchClip(benchmark::State& state) {
  const Scene scene = makeScene();
  const Motion motion = makeMotion(scene);
  StretchSettings settings;
  settings.distance_m = {6.0};
  settings.yaw = state.range(0) ? YawPolicy::kFacePath : YawPolicy::kKeep;
  for (auto _ : state) {
    auto results = runStretch({scene, std::span(&motion, 1), 1}, settings);
    if (!results) return state.SkipWithError(describe(results.error()).c_str());
    benchmark::DoNotOptimize(results);
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(stretchClip)->ArgName("face_path")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clipmill
