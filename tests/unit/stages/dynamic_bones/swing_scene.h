// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/dynamic_bones.h"

/// Small skeletons and clips for the tests of dynamic bones.
namespace clipmill::test {

/// Appends a node and returns its index.
inline int addNode(Scene& scene, const std::string& name, int parent, const Vec3& translation,
                   const Quat& rotation = kIdentityRotation, const Vec3& scale = Vec3(1.0)) {
  Node node;
  node.name = name;
  node.parent = parent;
  node.source_id = static_cast<int>(scene.skeleton.size());
  node.rest = {translation, rotation, scale};
  scene.skeleton.nodes.push_back(node);
  return node.source_id;
}

/// "body" at the origin with "bone0" at `from`, then "bone1", .. one `step` after the other.
inline Scene chainScene(int bone_count, const Vec3& step, const Vec3& from = Vec3(0.0)) {
  Scene scene;
  int parent = addNode(scene, "body", -1, Vec3(0.0));
  for (int i = 0; i < bone_count; ++i) {
    parent = addNode(scene, "bone" + std::to_string(i), parent, i == 0 ? from : step);
  }
  return scene;
}

/// A pose as a function of time.
using PoseFunction = std::function<void(double time_s, PoseView pose)>;

class FunctionSource : public PoseSource {
 public:
  explicit FunctionSource(PoseFunction function) : function_(std::move(function)) {}
  std::unique_ptr<PoseCursor> cursor() const override {
    class Cursor : public PoseCursor {
     public:
      explicit Cursor(const PoseFunction& function) : function_(function) {}
      void sample(double time_s, PoseView pose) override { function_(time_s, pose); }

     private:
      const PoseFunction& function_;
    };
    return std::make_unique<Cursor>(function_);
  }

 private:
  PoseFunction function_;
};

/// The clip 0..end_s that `function` describes, sampled at `fps`.
inline Motion motionOf(const Scene& scene, double end_s, double fps, PoseFunction function) {
  Clip clip;
  clip.name = "clip";
  clip.end_s = end_s;
  clip.fps = fps;
  clip.animated = TrackMask(scene.skeleton.size());
  clip.source = std::make_shared<FunctionSource>(std::move(function));
  return sampleClip(scene.skeleton, clip, 0, makeGrid(0.0, end_s, fps));
}

/// A clip that holds the rest pose.
inline Motion stillMotion(const Scene& scene, double end_s, double fps) {
  return motionOf(scene, end_s, fps, [](double, PoseView) {});
}

/// Settings with one chain that starts at `root`, without virtual tips.
inline stages::dynamic_bones::DynamicBonesSettings settingsFor(
    const std::string& root, stages::dynamic_bones::DynamicBonesMethod method) {
  stages::dynamic_bones::DynamicBonesSettings settings;
  settings.method = method;
  stages::dynamic_bones::ChainSettings chain;
  chain.root = root;
  chain.tip_length = 0.0;
  settings.chain.push_back(chain);
  return settings;
}

/// A chain on which nothing but full gravity acts.
inline stages::dynamic_bones::DynamicBonesSettings ballisticFor(const std::string& root) {
  stages::dynamic_bones::DynamicBonesSettings settings =
      settingsFor(root, stages::dynamic_bones::DynamicBonesMethod::kSpring);
  settings.chain[0].frequency_hz = 0.0;
  settings.chain[0].damping_ratio = 0.0;
  settings.chain[0].rest_includes_gravity = false;
  return settings;
}

inline stages::StageResult bake(const Scene& scene, const Motion& motion,
                                const stages::dynamic_bones::DynamicBonesSettings& settings) {
  auto results =
      stages::dynamic_bones::runDynamicBones({scene, std::span(&motion, 1), 1}, settings);
  CHECK_OK(results);
  return results->front();
}

inline Error bakeError(const Scene& scene,
                       const stages::dynamic_bones::DynamicBonesSettings& settings) {
  const Motion still = stillMotion(scene, 1.0, 30.0);
  auto results = stages::dynamic_bones::runDynamicBones({scene, std::span(&still, 1), 1}, settings);
  REQUIRE_FALSE(results.ok());
  return results.error();
}

/// Where the node is in metric space, frame by frame.
inline std::vector<Vec3> pathOfNode(const Scene& scene, const Motion& motion, int node) {
  std::vector<Vec3> path;
  std::vector<Affine> worlds;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
    path.push_back(worlds[toSize(node)].translation);
  }
  return path;
}

inline double metric(const stages::StageResult& result, const std::string& name) {
  for (const Metric& metric : result.metrics) {
    if (metric.name == name) return metric.after.value();
  }
  FAIL("no metric ", name);
  return 0.0;
}

}  // namespace clipmill::test
