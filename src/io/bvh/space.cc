// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/bvh/space.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "anim/clip.h"
#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "humanoid/rest_pose.h"

namespace clipmill::io::bvh {
namespace {

using humanoid::HumanoidMap;

// A clip is looked at in so many poses: for its up axis and roles, and for its rest pose.
constexpr std::size_t kPoses = 16, kRestPoses = 2000;
// restPoseDoubt() of a trunk that leans by 40 degrees, a thigh by 60.
constexpr double kMaxDoubt = 2.0;

// -- Units and axes

struct Unit {
  const char* name;
  double metres;
};

// The longest chain of bones from a root to a tip is about 1.3 m for a person (hips to fingers).
// Of the units in use (metres, inches as in Biovision's own files, centimetres) the one is taken
// that brings the chain nearest to that; the bounds are the geometric means, rounded.
Unit readUnit(const Skeleton& skeleton) {
  constexpr double kMaxChainInMetres = 8.0, kMaxChainInInches = 80.0;
  std::vector<double> length(skeleton.size(), 0.0);
  double longest = 0.0;
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const Node& node = skeleton.nodes[n];
    if (node.parent < 0) continue;
    const Vec3& bone = node.rest.translation;
    length[n] = length[toSize(node.parent)] + std::sqrt(glm::dot(bone, bone));
    longest = std::max(longest, length[n]);
  }
  if (longest <= kMaxChainInMetres) return {"metres", 1.0};
  if (longest <= kMaxChainInInches) return {"inches", 0.0254};
  return {"centimetres", 0.01};
}

Vec3 extentOf(const Skeleton& skeleton, const Pose& pose) {
  std::vector<Affine> worlds;
  computeWorlds(skeleton, pose.locals, Affine{}, worlds);
  Vec3 low = worlds.front().translation, high = low;
  for (const Affine& world : worlds) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], world.translation[axis]);
      high[axis] = std::max(high[axis], world.translation[axis]);
    }
  }
  return high - low;
}

// Frames spread evenly from the first to the last, at most `most` of them.
std::vector<std::size_t> spreadFrames(const FileMotion& motion, std::size_t most) {
  std::vector<std::size_t> frames;
  const std::size_t count = std::min(motion.frame_count, most);
  for (std::size_t i = 0; i < count; ++i) {
    frames.push_back(count < 2 ? 0 : (motion.frame_count - 1) * i / (count - 1));
  }
  return frames;
}

// Calls `visit` with the frame and its pose, for each of `frames`, in ascending order.
void visitPoses(const Skeleton& skeleton, const FileMotion& motion,
                std::span<const std::size_t> frames,
                const std::function<void(std::size_t, const Pose&)>& visit) {
  const auto cursor = keyframeSource(skeleton, motion.tracks)->cursor();
  Pose pose = restPose(skeleton);
  for (const std::size_t frame : frames) {
    cursor->sample(static_cast<double>(frame) * motion.frame_s, pose.view());
    visit(frame, pose);
  }
}

// Whether the poses of the clip are much higher along z than along y.
bool movesAlongZ(const Skeleton& skeleton, const FileMotion& motion) {
  constexpr double kFlatMotion = 2.0;
  Vec3 sum(0.0);
  visitPoses(skeleton, motion, spreadFrames(motion, kPoses),
             [&](std::size_t, const Pose& pose) { sum += extentOf(skeleton, pose); });
  return sum.z > kFlatMotion * sum.y;
}

// A clip of a lying person has an upright rest pose, and an unusual rest pose has an upright clip.
// So z is up only where both are much higher along z than along y.
bool isZUp(const Skeleton& skeleton, const FileMotion& motion) {
  constexpr double kFlatRest = 3.0;
  const Vec3 rest = extentOf(skeleton, restPose(skeleton));
  if (!(rest.z > kFlatRest * rest.y)) return false;
  return motion.frame_count == 0 || movesAlongZ(skeleton, motion);
}

void setUnit(const std::string& location, Scene& scene) {
  const Unit unit = readUnit(scene.skeleton);
  scene.warnings.add("bvh_unit",
                     std::string("BVH does not store its unit of length; from the size of the "
                                 "skeleton it is assumed to be ") +
                         unit.name,
                     location);
  scene.metric_from_file.linear = Mat3(unit.metres);
}

void setZUp(const std::string& location, Scene& scene) {
  scene.warnings.add(
      "bvh_up_axis",
      "BVH does not store its up axis; from the rest pose and the motion it is assumed to be z",
      location);
  scene.metric_from_file.linear = Mat3(1, 0, 0, 0, 0, -1, 0, 1, 0) * scene.metric_from_file.linear;
}

// -- Rest pose

bool hasHumanRest(const Scene& scene) {
  const HumanoidMap map = humanoid::findHumanoid(scene);
  if (map.origin == HumanoidMap::Origin::kNone) return false;
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  return humanoid::restPoseDoubt(map, worlds) <= kMaxDoubt;
}

Scene posedScene(const Scene& scene, std::span<const Transform> locals) {
  Scene posed = scene;
  for (std::size_t n = 0; n < locals.size(); ++n) posed.skeleton.nodes[n].rest = locals[n];
  return posed;
}

// The roles of the joints, by the pose in which they are most certain.
std::optional<HumanoidMap> rolesOf(const Scene& scene, const FileMotion& motion) {
  std::optional<HumanoidMap> best;
  visitPoses(scene.skeleton, motion, spreadFrames(motion, kPoses),
             [&](std::size_t, const Pose& pose) {
               HumanoidMap map = humanoid::findHumanoid(posedScene(scene, pose.locals));
               if (map.origin == HumanoidMap::Origin::kNone) return;
               if (!best || map.confidence > best->confidence) best = std::move(map);
             });
  return best;
}

// Whether the trunk is along z in the mean of the clip. `scene` is read as y up.
bool isTrunkAlongZ(const Scene& scene, const FileMotion& motion, const HumanoidMap& map) {
  constexpr double kSteep = 2.0;
  Vec3 sum(0.0);
  std::vector<Affine> worlds;
  visitPoses(scene.skeleton, motion, spreadFrames(motion, kPoses),
             [&](std::size_t, const Pose& pose) {
               computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, worlds);
               if (const auto axes = humanoid::bodyAxes(map, worlds)) sum += axes->up;
             });
  return sum.z > kSteep * std::abs(sum.y);
}

// Moves the roots of a pose so that it faces along z, above the origin, at its own height above
// the floor.
void moveToOrigin(const Scene& scene, const HumanoidMap& map, double floor_m,
                  std::span<Transform> locals) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, locals, scene.metric_from_file, worlds);
  const Vec3 hips = worlds[toSize(map[humanoid::HumanoidRole::kHips])].translation;
  const Quat rotation = rotationAbout(Vec3(0, 1, 0), -humanoid::headingOf_rad(map, worlds));
  const double height_m = hips.y - humanoid::lowestFoot_m(map, worlds);
  Affine moved;  // metric
  moved.linear = glm::mat3_cast(rotation);
  moved.translation = Vec3(0.0, floor_m + height_m, 0.0) - moved.linear * hips;
  const Affine in_file = inverse(scene.metric_from_file) * moved * scene.metric_from_file;
  const Quat rotation_in_file = rotationOf(in_file);
  for (std::size_t n = 0; n < locals.size(); ++n) {
    if (scene.skeleton.nodes[n].parent >= 0) continue;
    locals[n].translation = transformPoint(in_file, locals[n].translation);
    locals[n].rotation = normalizedOrIdentity(rotation_in_file * locals[n].rotation);
  }
}

void setRestFromMotion(const FileMotion& motion, const HumanoidMap& map,
                       const std::string& location, Scene& scene) {
  humanoid::RestPoseSearch search(scene, map);
  visitPoses(scene.skeleton, motion, spreadFrames(motion, kRestPoses),
             [&](std::size_t frame, const Pose& pose) { search.show(frame, pose.locals); });
  Pose rest;
  const std::size_t frame = search.frame();
  visitPoses(scene.skeleton, motion, std::span(&frame, 1),
             [&](std::size_t, const Pose& pose) { rest = pose; });
  moveToOrigin(scene, map, search.floor_m(), rest.locals);
  scene = posedScene(scene, rest.locals);
  scene.warnings.add("bvh_rest_pose",
                     "without rotations the joints are in no pose of a human. The frame that is "
                     "most like a T, A or I pose is used as rest pose",
                     location + ", frame " + std::to_string(frame) +
                         (search.doubt() > 1.0 ? ", which is no plausible rest pose either" : ""));
}

}  // namespace

void setSpaceAndRest(const FileMotion& motion, const std::string& name, Scene& scene) {
  setUnit(name, scene);
  const bool is_z_up = isZUp(scene.skeleton, motion);
  if (is_z_up) setZUp(name, scene);
  if (motion.frame_count == 0 || hasHumanRest(scene)) return;
  const std::optional<HumanoidMap> roles = rolesOf(scene, motion);
  if (!roles) return;
  // Such a rest pose does not show the up axis.
  if (!is_z_up && isTrunkAlongZ(scene, motion, *roles)) setZUp(name, scene);
  setRestFromMotion(motion, *roles, name, scene);
}

}  // namespace clipmill::io::bvh
