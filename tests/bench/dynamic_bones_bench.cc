// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "anim/clip.h"
#include "anim/motion.h"
#include "core/portable_math.h"
#include "stages/dynamic_bones/dynamic_bones.h"

namespace clipmill {
namespace {

constexpr int kChains = 100;
constexpr int kJoints = 10;
constexpr std::size_t kFrames = 1000;
constexpr double kFps = 60.0;

int addNode(Scene& scene, std::string name, int parent, const Vec3& translation) {
  Node node;
  node.name = std::move(name);
  node.parent = parent;
  node.rest.translation = translation;
  scene.skeleton.nodes.push_back(node);
  return static_cast<int>(scene.skeleton.size()) - 1;
}

// A head that carries 100 strands of 10 joints, one every 5 cm.
Scene makeScene() {
  Scene scene;
  const int body = addNode(scene, "body", -1, Vec3(0));
  const int head = addNode(scene, "head", body, Vec3(0, 1.6, 0));
  for (int chain = 0; chain < kChains; ++chain) {
    const double angle = 2.0 * kPi * chain / kChains;
    const Vec3 out(portable::cos(angle), 0, portable::sin(angle));
    int parent = head;
    for (int joint = 0; joint < kJoints; ++joint) {
      const Vec3 step = joint == 0 ? out * 0.1 : Vec3(0, -0.05, 0) + out * 0.005;
      parent = addNode(scene, "strand" + std::to_string(chain), parent, step);
    }
  }
  return scene;
}

// The body walks and sways, the head rotates; one key a frame.
Motion makeMotion(const Scene& scene) {
  auto times = std::make_shared<std::vector<double>>();
  Track position{0, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {}};
  Track rotation{1, TrackPath::kRotation, Interpolation::kLinear, 4, times, {}};
  for (std::size_t i = 0; i < kFrames; ++i) {
    const double t = static_cast<double>(i) / kFps;
    times->push_back(t);
    position.values.insert(position.values.end(), {0.2 * portable::sin(6 * t), 0.0, 1.5 * t});
    const Quat q = rotationAbout(Vec3(0, 1, 0), portable::sin(3 * t));
    rotation.values.insert(rotation.values.end(), {q.x, q.y, q.z, q.w});
  }
  Clip clip;
  clip.end_s = times->back();
  clip.fps = kFps;
  clip.source = keyframeSource(scene.skeleton, {position, rotation});
  return sampleClip(scene.skeleton, clip, 0, makeGrid(0.0, clip.end_s, kFps));
}

stages::dynamic_bones::DynamicBonesSettings makeSettings(
    stages::dynamic_bones::DynamicBonesMethod method, int colliders) {
  stages::dynamic_bones::DynamicBonesSettings settings;
  settings.method = method;
  stages::dynamic_bones::ChainSettings chain;
  chain.root = "strand*";
  chain.radius_m = 0.01;
  settings.chain.push_back(chain);
  for (int i = 0; i < colliders; ++i) {
    stages::dynamic_bones::ColliderSettings collider;
    collider.node = i % 2 ? "body" : "head";
    collider.name = "collider" + std::to_string(i);
    collider.shape = i % 4 < 2 ? stages::dynamic_bones::ColliderShape::kSphere
                               : stages::dynamic_bones::ColliderShape::kCapsule;
    const double x = 0.1 * (i - 3.5);
    collider.offset_m = {x, i % 2 ? 1.3 : -0.3, 0.0};
    collider.tail_m = {x, i % 2 ? 1.0 : -0.6, 0.1};
    collider.radius_m = 0.08;
    settings.collider.push_back(collider);
  }
  return settings;
}

void bake(benchmark::State& state, stages::dynamic_bones::DynamicBonesMethod method) {
  const Scene scene = makeScene();
  const Motion motion = makeMotion(scene);
  const auto settings = makeSettings(method, static_cast<int>(state.range(0)));
  double steps = 0.0;
  for (auto _ : state) {
    auto results =
        stages::dynamic_bones::runDynamicBones({scene, std::span(&motion, 1), 1}, settings);
    if (!results) return state.SkipWithError(describe(results.error()).c_str());
    for (const Metric& metric : results->front().metrics) {
      if (metric.name == "joint_steps") steps += metric.after.value();
    }
    benchmark::DoNotOptimize(results);
  }
  // Items are joint steps of the simulation; the time includes measuring and copying the motion.
  state.SetItemsProcessed(static_cast<std::int64_t>(steps));
}

void reference(benchmark::State& state) {
  bake(state, stages::dynamic_bones::DynamicBonesMethod::kReference);
}
void spring(benchmark::State& state) {
  bake(state, stages::dynamic_bones::DynamicBonesMethod::kSpring);
}

BENCHMARK(reference)->ArgName("colliders")->Arg(0)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(spring)->ArgName("colliders")->Arg(0)->Arg(8)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clipmill
