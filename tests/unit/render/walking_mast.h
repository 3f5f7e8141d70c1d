// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "anim/clip.h"
#include "scene/scene.h"

namespace clipmill::test {

inline Node jointAt(const std::string& name, int parent, const Vec3& translation) {
  Node node;
  node.name = name;
  node.parent = parent;
  node.rest.translation = translation;
  return node;
}

/// A mast of two bones with arms. In one second its root moves `distance_m` along z, and its head
/// nods by `nod_deg`. Without a mesh: its bones are drawn.
inline Scene walkingMast(double distance_m, double nod_deg) {
  Scene scene;
  scene.skeleton.nodes = {
      jointAt("Root", -1, Vec3(0)),           jointAt("Leg", 0, Vec3(0, 0.5, 0)),
      jointAt("Head", 1, Vec3(0, 0.8, 0)),    jointAt("Crest", 2, Vec3(0, 0.3, 0)),
      jointAt("Arm_L", 1, Vec3(0.4, 0.3, 0)), jointAt("Arm_R", 1, Vec3(-0.4, 0.3, 0))};
  Clip clip;
  clip.name = "Walk";
  clip.end_s = 1.0;
  clip.animated = TrackMask(scene.skeleton.size());
  clip.animated.set(0, TrackPath::kTranslation);
  clip.animated.set(2, TrackPath::kRotation);
  const auto times = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0});
  const Quat nod = rotationAbout(Vec3(1, 0, 0), nod_deg * kDegree);
  clip.source = keyframeSource(
      scene.skeleton,
      {{0, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {0, 0, 0, 0, 0, distance_m}},
       {2,
        TrackPath::kRotation,
        Interpolation::kLinear,
        4,
        times,
        {0, 0, 0, 1, nod.x, nod.y, nod.z, nod.w}}});
  scene.clips = {clip};
  return scene;
}

}  // namespace clipmill::test
