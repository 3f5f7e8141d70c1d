// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/source_rest.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "humanoid/rest_pose.h"
#include "retarget/skeleton_identity.h"

namespace clipmill::retarget {
namespace {

constexpr double kQuarter_rad = 90.0 * kDegree;

// The rotation from a heading to the nearest axis.
Quat toNearestAxis(double heading_rad) {
  const double axis_rad = std::round(heading_rad / kQuarter_rad) * kQuarter_rad;
  return rotationAbout(kUp, axis_rad - heading_rad);
}

// The pose moved as a whole.
void moveTo(RestPose& rest, const Quat& rotation, const Vec3& from, const Vec3& to) {
  const Mat3 linear = glm::mat3_cast(rotation);
  for (Affine& world : rest.worlds) {
    world.translation = linear * (world.translation - from) + to;
    world.linear = linear * world.linear;
  }
  for (Mat3& axes : rest.axes) axes = linear * axes;
}

// A frame of motion, rotated to the nearest axis, above the origin, with its feet on the floor.
void moveToOrigin(RestPose& rest, const humanoid::HumanoidMap& map, double floor_m) {
  const int hips = map[humanoid::HumanoidRole::kHips];
  if (hips < 0) return;
  const Vec3 from = rest.positionOf(hips);
  const double above_floor_m = from.y - humanoid::lowestFoot_m(map, rest.worlds);
  moveTo(rest, toNearestAxis(humanoid::headingOf_rad(map, rest.worlds)), from,
         Vec3(0.0, floor_m + above_floor_m, 0.0));
}

humanoid::RestPoseSearch mostPlausible(const Scene& source, const Motion& motion,
                                       const humanoid::HumanoidMap& map) {
  humanoid::RestPoseSearch search(source, map);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) search.show(f, motion.localsOf(f));
  return search;
}

RestPose givenRest(const Scene& source, const Motion& motion, const humanoid::HumanoidMap& map,
                   const RestChoice& choice) {
  RestPose rest(source, choice.locals);
  rest.origin = "given pose";
  if (choice.is_frame) moveToOrigin(rest, map, mostPlausible(source, motion, map).floor_m());
  return rest;
}

}  // namespace

RestPose sourceRestOf(const Scene& source, const Motion& motion, const humanoid::HumanoidMap& map,
                      const RestChoice& choice, Warnings& warnings) {
  if (!choice.locals.empty()) return givenRest(source, motion, map, choice);
  RestPose rest(source);
  if (map.origin == humanoid::HumanoidMap::Origin::kNone || hasBindPose(source, map.nodes)) {
    return rest;
  }
  rest.origin = "stored pose";
  if (humanoid::restPoseDoubt(map, rest.worlds) <= 1.0) return rest;
  const humanoid::RestPoseSearch found = mostPlausible(source, motion, map);
  const auto locals = motion.localsOf(found.frame());
  RestPose estimated(source, {locals.begin(), locals.end()});
  estimated.origin = "frame " + std::to_string(found.frame()) + " of the clip";
  moveToOrigin(estimated, map, found.floor_m());
  warnings.add(
      "rest_pose_estimated",
      "the file has no rest pose: no skin, and a frame of motion as pose of its nodes. The "
      "frame that is most like a rest pose is used",
      motion.clip_name + ", frame " + std::to_string(found.frame()) +
          (found.doubt() > 1.0 ? ", which is no plausible rest pose either" : ""));
  return estimated;
}

}  // namespace clipmill::retarget
