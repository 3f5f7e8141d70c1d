// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "spring_peer_scene.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "anim/clip.h"
#include "core/portable_math.h"

namespace clipmill {
namespace {

constexpr double kSegment_m = 0.05;
constexpr int kRoot = 0, kHead = 1;

int addNode(Scene& scene, std::string name, int parent, const Vec3& translation) {
  Node node;
  node.name = std::move(name);
  node.parent = parent;
  node.rest.translation = translation;
  scene.skeleton.nodes.push_back(node);
  return static_cast<int>(scene.skeleton.size()) - 1;
}

Vec3 around(double radius_m, int index, int count) {
  const double angle = 2.0 * kPi * index / std::max(count, 1);
  return Vec3(radius_m * portable::cos(angle), 0.0, radius_m * portable::sin(angle));
}

void addColliders(int count, SpringSetup& springs) {
  springs.groups.push_back({"g", {}});
  for (int i = 0; i < count; ++i) {
    SpringCollider collider;
    collider.node = kHead;
    collider.kind = i % 2 ? SpringCollider::Kind::kCapsule : SpringCollider::Kind::kSphere;
    collider.offset = around(0.15, i, count) + Vec3(0, -0.25, 0);
    collider.tail = collider.offset + Vec3(0, -0.2, 0);
    collider.radius = i % 2 ? 0.06 : 0.08;
    springs.groups[0].colliders.push_back(i);
    springs.colliders.push_back(collider);
  }
}

}  // namespace

Scene makeSpringPeerScene(const SpringPeerScene& settings) {
  Scene scene;
  addNode(scene, "root", -1, Vec3(0));
  addNode(scene, "head", kRoot, Vec3(0, 1.5, 0));
  scene.springs.kind = SpringSetup::Kind::kVrm1;
  addColliders(settings.colliders, scene.springs);
  for (int c = 0; c < settings.chains; ++c) {
    SpringChain chain;
    chain.name = "chain" + std::to_string(c);
    if (settings.colliders > 0) chain.collider_groups = {0};
    int parent = kHead;
    for (int j = 0; j <= settings.bones; ++j) {
      parent = addNode(scene, chain.name + "_" + std::to_string(j), parent,
                       j == 0 ? around(0.12, c, settings.chains) : Vec3(0, -kSegment_m, 0));
      SpringJoint joint;
      joint.node = parent;
      joint.stiffness = 0.6;
      joint.gravity_power = 0.4;
      joint.drag = 0.4;
      joint.hit_radius = 0.02;
      chain.joints.push_back(joint);
    }
    scene.springs.chains.push_back(chain);
  }
  return scene;
}

Motion makeSpringPeerMotion(const SpringPeerScene& settings, Scene& scene) {
  auto times = std::make_shared<std::vector<double>>();
  Track position{kRoot, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {}};
  Track rotation{kHead, TrackPath::kRotation, Interpolation::kLinear, 4, times, {}};
  for (int i = 0; i < settings.frames; ++i) {
    const double t = i / settings.fps;
    times->push_back(t);
    const double x = 0.3 * portable::sin(2.0 * kPi * t), y = 0.05 * portable::sin(4.0 * kPi * t);
    position.values.insert(position.values.end(), {x, y, 0.0});
    const Quat q = rotationAbout(Vec3(0, 1, 0), 0.8 * portable::sin(kPi * t));
    rotation.values.insert(rotation.values.end(), {q.x, q.y, q.z, q.w});
  }
  Clip clip;
  clip.name = "sway";
  clip.end_s = times->back();
  clip.fps = settings.fps;
  clip.animated = TrackMask(scene.skeleton.size());
  clip.animated.set(kRoot, TrackPath::kTranslation);
  clip.animated.set(kHead, TrackPath::kRotation);
  clip.source = keyframeSource(scene.skeleton, {position, rotation});
  scene.clips = {clip};
  return sampleClip(scene.skeleton, clip, 0, makeGrid(0.0, clip.end_s, settings.fps));
}

}  // namespace clipmill
