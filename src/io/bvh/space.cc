// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/bvh/space.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "io/bvh/rest_pose.h"

namespace clipmill::io::bvh {
namespace {

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

// Whether the poses of the clip are much higher along z than along y.
bool movesAlongZ(const Skeleton& skeleton, const FileMotion& motion) {
  constexpr double kFlatMotion = 2.0;
  Vec3 sum(0.0);
  visitPoses(skeleton, motion, spreadFrames(motion, kFewPoses),
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

}  // namespace

void setSpaceAndRest(const FileMotion& motion, const std::string& name, Scene& scene) {
  setUnit(name, scene);
  const bool is_z_up = isZUp(scene.skeleton, motion);
  if (is_z_up) setZUp(name, scene);
  if (motion.frame_count == 0 || hasHumanRest(scene)) return;
  const std::optional<humanoid::HumanoidMap> roles = rolesOf(scene, motion);
  if (!roles) return;
  // Such a rest pose does not show the up axis.
  if (!is_z_up && isTrunkAlongZ(scene, motion, *roles)) setZUp(name, scene);
  setRestFromMotion(motion, *roles, name, scene);
}

}  // namespace clipmill::io::bvh
