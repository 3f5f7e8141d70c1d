// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Springs, their animated parents frame by frame, and their rotations, as JSON for another program
// to judge:
//   spring_motion peer          the scene on which speeds are compared, smaller
//   spring_motion random SEED   a scene with springs of all sorts
//   spring_motion FILE          a file with springs, swayed and rotated about its root; 77 without
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include <nlohmann/json.hpp>

#include "bench/spring_peer_scene.h"
#include "core/to_size.h"
#include "io/io.h"
#include "stages/dynamic_bones/vrm/vrm_springs.h"
#include "unit/stages/dynamic_bones/random_springs.h"

namespace {

using namespace clipmill;
using nlohmann::json;

constexpr double kFps = 60.0;
constexpr std::size_t kFrames = 301;

json toJson(const Vec3& v) { return {v.x, v.y, v.z}; }
json toJson(const Quat& q) { return {q.x, q.y, q.z, q.w}; }
json toJson(const Transform& t) {
  return {toJson(t.translation), toJson(t.rotation), toJson(t.scale)};
}

// A motion whose pose at each time is set by pose(time_s, view).
template <class PoseAt>
Motion motionOf(const Scene& scene, PoseAt&& pose) {
  Motion motion = sampleClip(scene.skeleton, Clip{}, -1,
                             makeGrid(0.0, static_cast<double>(kFrames - 1) / kFps, kFps));
  for (std::size_t f = 0; f < kFrames; ++f) pose(motion.grid.timeOf(f), motion.frame(f));
  return motion;
}

// Sways and rotates every root of a file.
Motion swayingMotion(const Scene& scene) {
  return motionOf(scene, [&](double t, PoseView pose) {
    for (std::size_t n = 0; n < pose.locals.size(); ++n) {
      const Transform& rest = scene.skeleton.nodes[n].rest;
      if (scene.skeleton.nodes[n].parent >= 0) continue;
      pose.locals[n].translation = rest.translation + Vec3(0.3 * std::sin(6 * t), 0, 0.1 * t);
      pose.locals[n].rotation = rotationAbout(Vec3(0, 1, 0), std::sin(3 * t)) * rest.rotation;
    }
  });
}

json jointToJson(const SpringJoint& joint) {
  return {{"node", joint.node},
          {"stiffness", joint.stiffness},
          {"gravityPower", joint.gravity_power},
          {"gravityDir", toJson(joint.gravity_dir)},
          {"dragForce", joint.drag},
          {"hitRadius", joint.hit_radius}};
}

json colliderToJson(const SpringCollider& collider) {
  using Kind = SpringCollider::Kind;
  const char* kind = collider.kind == Kind::kPlane     ? "plane"
                     : collider.kind == Kind::kCapsule ? "capsule"
                                                       : "sphere";
  return {{"node", collider.node},         {"kind", kind},
          {"inside", collider.inside},     {"offset", toJson(collider.offset)},
          {"tail", toJson(collider.tail)}, {"normal", toJson(collider.normal)},
          {"radius", collider.radius}};
}

json springsToJson(const SpringSetup& springs) {
  json out = {{"colliders", json::array()}, {"groups", json::array()}, {"chains", json::array()}};
  for (const auto& collider : springs.colliders) {
    out["colliders"].push_back(colliderToJson(collider));
  }
  for (const auto& group : springs.groups) out["groups"].push_back(group.colliders);
  for (const auto& chain : springs.chains) {
    json joints = json::array();
    for (const auto& joint : chain.joints) joints.push_back(jointToJson(joint));
    out["chains"].push_back({{"joints", joints},
                             {"groups", chain.collider_groups},
                             {"center", chain.center},
                             {"tail_length_m", chain.tail_length_m}});
  }
  return out;
}

void print(const Scene& scene, const Motion& clip) {
  const stages::dynamic_bones::VrmRig rig = stages::dynamic_bones::makeVrmRig(scene.springs, scene);
  Motion baked = clip;
  stages::dynamic_bones::simulateVrm(rig, scene, clip, baked);
  json out = {{"step_s", 1.0 / kFps}, {"springs", springsToJson(scene.springs)}};
  for (const Node& node : scene.skeleton.nodes) {
    out["nodes"].push_back({{"parent", node.parent}, {"rest", toJson(node.rest)}});
  }
  std::vector<int> joints;
  for (const auto& chain : rig.chains) {
    for (const auto& bone : chain.bones) joints.push_back(bone.joint.node);
  }
  out["joints"] = joints;
  for (std::size_t f = 0; f < clip.grid.frame_count; ++f) {
    json moved = json::array(), rotated = json::array();
    for (std::size_t n = 0; n < clip.node_count; ++n) {
      const Transform& local = clip.localsOf(f)[n];
      if (local != scene.skeleton.nodes[n].rest) moved.push_back({n, toJson(local)});
    }
    for (int node : joints) {
      rotated.push_back(toJson(baked.localsOf(f)[toSize(node)].rotation));
    }
    out["frames"].push_back(moved);
    out["rotations"].push_back(rotated);
  }
  std::puts(out.dump().c_str());
}

void withoutLimits(SpringSetup& springs) {
  for (SpringChain& chain : springs.chains) {
    for (SpringJoint& joint : chain.joints) joint.limit = {};
  }
}

int printFile(const char* path) {
  auto loaded = io::load(path, {});
  if (!loaded) {
    std::fprintf(stderr, "spring_motion: %s\n", describe(loaded.error()).c_str());
    return 3;
  }
  Scene& scene = loaded->scene;
  if (scene.springs.chains.empty()) return 77;
  withoutLimits(scene.springs);
  print(scene, swayingMotion(scene));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (std::strcmp(argv[1], "peer") == 0) {
    const SpringPeerScene settings{20, 10, 8, static_cast<int>(kFrames), kFps};
    Scene scene = makeSpringPeerScene(settings);
    const Motion clip = makeSpringPeerMotion(settings, scene);
    print(scene, clip);
    return 0;
  }
  if (std::strcmp(argv[1], "random") == 0 && argc == 3) {
    Scene scene = test::randomScene(std::stoull(argv[2]), 9);
    withoutLimits(scene.springs);
    print(scene,
          motionOf(scene, [&](double t, PoseView pose) { test::randomMotion(scene, t, pose); }));
    return 0;
  }
  return printFile(argv[1]);
}
