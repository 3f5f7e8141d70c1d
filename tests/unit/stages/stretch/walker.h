// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/to_size.h"
#include "scene/character_scene.h"
#include "stages/dynamic_bones/swing_scene.h"
#include "stages/stretch/stretch.h"

/// A small character and clips of it for these tests.
namespace clipmill::test {

/// A root trajectory with height: metres and seconds.
using Path = std::function<Vec3(double time_s)>;

/// Root, hips, two legs, a spine and a head, 1.7 m tall: "armature" above them sets
/// the axes of the file, and a target of a hand is beside them.
struct Walker {
  Scene scene;
  int armature, root, hips, spine, head, left_foot, right_foot, target;

  /// `armature` transforms the character's metric axes to those of the file; the file itself is
  /// seen through `metric_from_file`.
  explicit Walker(const Transform& above = {}, const Affine& metric_from_file = {}) {
    scene.metric_from_file = metric_from_file;
    armature = addNode(scene, "armature", -1, above.translation, above.rotation, above.scale);
    root = addNode(scene, "root", armature, Vec3(0));
    hips = addNode(scene, "hips", root, Vec3(0, 0.9, 0));
    spine = addNode(scene, "spine", hips, Vec3(0, 0.4, 0));
    head = addNode(scene, "head", spine, Vec3(0, 0.4, 0.05));
    left_foot = addNode(scene, "left_foot", hips, Vec3(0.1, -0.9, 0));
    right_foot = addNode(scene, "right_foot", hips, Vec3(-0.1, -0.9, 0));
    target = addNode(scene, "target", armature, Vec3(0.4, 1.2, 0.3));
    Skin skin;
    skin.joints = {hips, spine, head, left_foot, right_foot};
    skin.joint_from_bind.resize(skin.joints.size());
    scene.skins.push_back(skin);
  }

  /// The root follows `path` in the character's axes, the hips bob and rotate a little, the spine
  /// sways.
  PoseFunction poseOf(Path path) const {
    const int root_node = root, hips_node = hips, spine_node = spine;
    return [=](double t, PoseView pose) {
      const auto at = [&](int node) -> Transform& { return pose.locals[toSize(node)]; };
      at(root_node).translation = path(t);
      at(hips_node).translation = Vec3(0.02 * std::sin(5 * t), 0.9 + 0.03 * std::cos(7 * t), 0);
      at(hips_node).rotation = rotationAbout(Vec3(0, 1, 0), 0.2 * std::sin(4 * t));
      at(spine_node).rotation = rotationAbout(Vec3(1, 0, 0), 0.3 * std::sin(3 * t));
    };
  }
  Motion clip(Path path, double end_s = 2.0, double fps = 30.0) const {
    return motionOf(scene, end_s, fps, poseOf(std::move(path)));
  }
};

/// Ahead with a curve and a rest from 0.5 s to 1 s; 2 s in all.
inline Vec3 curvedPath(double t) {
  const double u = t < 0.5 ? t : t < 1.0 ? 0.5 : t - 0.5;
  const double s = u / 1.5;
  return Vec3(0.8 * std::sin(2.0 * s), 0.0, 3.0 * s * s * (3.0 - 2.0 * s) + 0.1 * s);
}

/// Straight ahead to 3 m with a rest from 0.5 s to 1 s; 2 s in all.
inline Vec3 straightPath(double t) { return Vec3(0, 0, curvedPath(t).z * 3.0 / 3.1); }

inline stages::stretch::StretchSettings toDistance(double distance_m) {
  stages::stretch::StretchSettings settings;
  settings.distance_m = {distance_m};
  return settings;
}

inline stages::stretch::StretchSettings toPoint(const Vec3& point) {
  stages::stretch::StretchSettings settings;
  settings.to_m = {point.x, point.y, point.z};
  return settings;
}

inline stages::StageResult stretchOne(const Scene& scene, const Motion& motion,
                                      const stages::stretch::StretchSettings& settings) {
  auto results = stages::stretch::runStretch({scene, std::span(&motion, 1), 1}, settings);
  CHECK_OK(results);
  return results->front();
}

inline Error stretchError(const Scene& scene, const Motion& motion,
                          const stages::stretch::StretchSettings& settings) {
  auto results = stages::stretch::runStretch({scene, std::span(&motion, 1), 1}, settings);
  REQUIRE_FALSE(results.ok());
  return results.error();
}

/// Largest distance of what two motions show of any node at any frame.
inline double worstPosition(const Scene& a, const Motion& of_a, const Scene& b,
                            const Motion& of_b) {
  REQUIRE(of_a.grid.frame_count == of_b.grid.frame_count);
  double worst = 0.0;
  for (std::size_t frame = 0; frame < of_a.grid.frame_count; ++frame) {
    const auto worlds_a = worldsAt(a, of_a, frame), worlds_b = worldsAt(b, of_b, frame);
    for (std::size_t i = 0; i < worlds_a.size(); ++i) {
      worst = std::max(worst, distance(worlds_a[i].translation, worlds_b[i].translation));
    }
  }
  return worst;
}

inline constexpr stages::stretch::StretchMethod kAllMethods[] = {
    stages::stretch::StretchMethod::kProportional, stages::stretch::StretchMethod::kReference,
    stages::stretch::StretchMethod::kSimilarity, stages::stretch::StretchMethod::kUniform,
    stages::stretch::StretchMethod::kMinimumJerk};

inline std::vector<Vec3> rootPath(const Walker& walker, const Motion& motion) {
  return pathOfNode(walker.scene, motion, walker.root);
}

inline bool sameLocals(const Motion& a, const Motion& b) {
  return a.locals == b.locals && a.weights == b.weights;
}

inline stages::stretch::StretchWindow windowTo(double start_s, std::optional<double> end_s,
                                               double distance_m) {
  stages::stretch::StretchWindow window;
  window.start_s = start_s;
  window.end_s = end_s;
  window.distance_m = {distance_m};
  return window;
}

}  // namespace clipmill::test
