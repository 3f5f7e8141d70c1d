// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "checks.h"
#include "core/to_size.h"
#include "scene/resample.h"
#include "scene/scene.h"
#include "stages/blend/blend.h"

/// A small character and clips of it for these tests.
namespace clipmill::test {

/// A clip as a function of time.
using Pacing = std::function<void(double time_s, PoseView pose)>;

class PacedSource : public PoseSource {
 public:
  explicit PacedSource(Pacing pacing) : pacing_(std::move(pacing)) {}
  std::unique_ptr<PoseCursor> cursor() const override {
    class Cursor : public PoseCursor {
     public:
      explicit Cursor(const Pacing& pacing) : pacing_(pacing) {}
      void sample(double time_s, PoseView pose) override { pacing_(time_s, pose); }

     private:
      const Pacing& pacing_;
    };
    return std::make_unique<Cursor>(pacing_);
  }

 private:
  Pacing pacing_;
};

/// Root, hips, a leg and a spine with a head, which has a face with two morphs.
struct Strider {
  Scene scene;
  int root = 0, hips = 1, leg = 2, spine = 3, head = 4;

  Strider() {
    const char* names[] = {"root", "hips", "leg", "spine", "head"};
    const int parents[] = {-1, 0, 1, 1, 3};
    const Vec3 positions[] = {Vec3(0), Vec3(0, 0.9, 0), Vec3(0, -0.4, 0), Vec3(0, 0.3, 0),
                              Vec3(0, 0.3, 0)};
    for (int i = 0; i < 5; ++i) {
      Node node;
      node.name = names[i];
      node.parent = parents[i];
      node.source_id = i;
      node.rest.translation = positions[i];
      scene.skeleton.nodes.push_back(node);
    }
    scene.skeleton.nodes[4].weights_count = 2;
    scene.skeleton.rest_weights = {0.0, 0.0};
    Skin skin;
    skin.joints = {hips, leg, spine, head};
    skin.joint_from_bind.resize(skin.joints.size());
    scene.skins.push_back(skin);
  }

  /// Appends a clip and returns its index.
  int add(const std::string& name, double length_s, double fps, Pacing pacing,
          double start_s = 0.0) {
    Clip clip;
    clip.name = name;
    clip.start_s = start_s;
    clip.end_s = start_s + length_s;
    clip.fps = fps;
    clip.animated = TrackMask(scene.skeleton.size());
    for (int node : {root, hips, leg, spine, head}) {
      clip.animated.set(node, TrackPath::kRotation);
    }
    clip.animated.set(root, TrackPath::kTranslation);
    clip.animated.set(head, TrackPath::kWeights);
    clip.source = std::make_shared<PacedSource>(std::move(pacing));
    scene.clips.push_back(clip);
    return static_cast<int>(scene.clips.size()) - 1;
  }

  /// Goes with `speed_mps` along `heading_rad`, faces that direction and swings leg and spine by
  /// `swing_rad`; smiles by half. One cycle lasts `cycle_s`.
  int stride(const std::string& name, double cycle_s, double fps, double speed_mps,
             double heading_rad, double swing_rad, double start_s = 0.0) {
    return add(
        name, cycle_s, fps,
        [=](double time_s, PoseView pose) {
          const double t = time_s - start_s;
          const double swing = swing_rad * std::sin(2.0 * kPi * t / cycle_s);
          pose.locals[0].translation =
              Vec3(std::sin(heading_rad), 0, std::cos(heading_rad)) * (speed_mps * t);
          pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), heading_rad);
          pose.locals[2].rotation = rotationAbout(Vec3(1, 0, 0), swing);
          pose.locals[3].rotation = rotationAbout(Vec3(0, 0, 1), 0.5 * swing + 0.1);
          pose.weights[0] = 0.5 + swing_rad;
        },
        start_s);
  }

  Motion motion(int clip) const {
    const Clip& c = scene.clips[toSize(clip)];
    return sampleClip(scene.skeleton, c, clip, makeGrid(c.start_s, c.end_s, c.fps));
  }
};

inline stages::blend::BlendSettings blendWith(
    const std::string& clip, stages::blend::BlendMode mode = stages::blend::BlendMode::kFade) {
  stages::blend::BlendSettings settings;
  settings.mode = mode;
  settings.with.push_back({clip, "", 1.0});
  return settings;
}

inline stages::StageResult blendOne(const Scene& scene, const Motion& motion,
                                    const stages::blend::BlendSettings& settings) {
  auto results = stages::blend::runBlend({scene, std::span(&motion, 1), 1}, settings);
  CHECK_OK(results);
  return results->front();
}

inline Error blendError(const Scene& scene, const Motion& motion,
                        const stages::blend::BlendSettings& settings) {
  auto results = stages::blend::runBlend({scene, std::span(&motion, 1), 1}, settings);
  REQUIRE_FALSE(results.ok());
  return results.error();
}

/// Largest difference of the locals of one node.
inline double worstLocal(const Transform& a, const Transform& b) {
  return std::max({distance(a.translation, b.translation), distance(a.rotation, b.rotation),
                   distance(a.scale, b.scale)});
}

inline double metricOf(const stages::StageResult& result, const std::string& name) {
  for (const Metric& metric : result.metrics) {
    if (metric.name == name) return metric.after.value();
  }
  FAIL("no metric " << name);
  return 0.0;
}

}  // namespace clipmill::test
