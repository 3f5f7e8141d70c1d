// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/bvh/rest_pose.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "humanoid/rest_pose.h"
#include "io/bvh/rest_shape.h"

namespace clipmill::io::bvh {
namespace {

using humanoid::HumanoidMap;
using Role = humanoid::HumanoidRole;

// The rest pose is looked for in so many frames.
constexpr std::size_t kRestPoses = 2000;
// restPoseDoubt() of a trunk that leans by 40 degrees, a thigh by 60.
constexpr double kMaxDoubt = 2.0;
// Of a T, A or I pose that a person was asked for.
constexpr double kClearDoubt = 0.5;

Scene posedScene(const Scene& scene, std::span<const Transform> locals) {
  Scene posed = scene;
  for (std::size_t n = 0; n < locals.size(); ++n) posed.skeleton.nodes[n].rest = locals[n];
  return posed;
}

// The rotation that makes a pose face along z, with an upright trunk if that is asked for.
Quat rotationToFront(const HumanoidMap& map, std::span<const Affine> worlds, bool upright) {
  const auto axes = humanoid::bodyAxes(map, worlds);
  if (!upright || !axes) return rotationAbout(Vec3(0, 1, 0), -humanoid::headingOf_rad(map, worlds));
  return glm::conjugate(glm::quat_cast(Mat3(axes->lateral, axes->up, axes->forward)));
}

// Moves the roots of a pose so that it faces along z, above the origin, with its lowest foot on the
// floor.
void moveToOrigin(const Scene& scene, const HumanoidMap& map, double floor_m, bool upright,
                  std::span<Transform> locals) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, locals, scene.metric_from_file, worlds);
  const Vec3 hips = worlds[toSize(map[Role::kHips])].translation;
  Affine moved;  // metric
  moved.linear = glm::mat3_cast(rotationToFront(map, worlds, upright));
  for (Affine& world : worlds) world = moved * world;
  const double lowest_m = humanoid::lowestFoot_m(map, worlds);
  const Vec3 rotated_hips = moved.linear * hips;
  moved.translation = Vec3(-rotated_hips.x, floor_m - lowest_m, -rotated_hips.z);
  const Affine in_file = inverse(scene.metric_from_file) * moved * scene.metric_from_file;
  const Quat rotation_in_file = rotationOf(in_file);
  for (std::size_t n = 0; n < locals.size(); ++n) {
    if (scene.skeleton.nodes[n].parent >= 0) continue;
    locals[n].translation = transformPoint(in_file, locals[n].translation);
    locals[n].rotation = normalizedOrIdentity(rotation_in_file * locals[n].rotation);
  }
}

}  // namespace

bool hasHumanRest(const Scene& scene) {
  const HumanoidMap map = humanoid::findHumanoid(scene);
  if (map.origin == HumanoidMap::Origin::kNone) return false;
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  return humanoid::restPoseDoubt(map, worlds) <= kMaxDoubt;
}

std::optional<HumanoidMap> rolesOf(const Scene& scene, const FileMotion& motion) {
  std::optional<HumanoidMap> best;
  visitPoses(scene.skeleton, motion, spreadFrames(motion, kFewPoses),
             [&](std::size_t, const Pose& pose) {
               HumanoidMap map = humanoid::findHumanoid(posedScene(scene, pose.locals));
               if (map.origin == HumanoidMap::Origin::kNone) return;
               if (!best || map.confidence > best->confidence) best = std::move(map);
             });
  return best;
}

bool isTrunkAlongZ(const Scene& scene, const FileMotion& motion, const HumanoidMap& map) {
  constexpr double kSteep = 2.0;
  Vec3 sum(0.0);
  std::vector<Affine> worlds;
  visitPoses(scene.skeleton, motion, spreadFrames(motion, kFewPoses),
             [&](std::size_t, const Pose& pose) {
               computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, worlds);
               if (const auto axes = humanoid::bodyAxes(map, worlds)) sum += axes->up;
             });
  return sum.z > kSteep * std::abs(sum.y);
}

void setRestFromMotion(const FileMotion& motion, const HumanoidMap& map,
                       const std::string& location, Scene& scene) {
  humanoid::RestPoseSearch search(scene, map);
  RestShape shape(scene, map);
  visitPoses(scene.skeleton, motion, spreadFrames(motion, kRestPoses),
             [&](std::size_t frame, const Pose& pose) {
               search.show(frame, pose.locals);
               shape.show(pose.locals);
             });
  Pose rest;
  const std::size_t frame = search.frame();
  visitPoses(scene.skeleton, motion, std::span(&frame, 1),
             [&](std::size_t, const Pose& pose) { rest = pose; });
  const bool is_clear = search.doubt() <= kClearDoubt;
  moveToOrigin(scene, map, search.floor_m(), !is_clear, rest.locals);
  if (!is_clear) shape.applyTo(rest.locals);
  scene = posedScene(scene, rest.locals);
  scene.warnings.add("bvh_rest_pose",
                     "without rotations the joints are in no pose of a human. The frame that is "
                     "most like a T, A or I pose is used as rest pose",
                     location + ", frame " + std::to_string(frame) +
                         (search.doubt() <= 1.0 ? "" : ", which is no plausible rest pose either"));
}

}  // namespace clipmill::io::bvh
