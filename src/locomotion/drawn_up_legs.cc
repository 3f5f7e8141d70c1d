// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/drawn_up_legs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "anim/pose.h"
#include "core/to_size.h"
#include "locomotion/trace_ground.h"

namespace clipmill::locomotion {
namespace {

// Shares of a leg: feet of drawn-up legs are by the first above those of the rest pose, and hips by
// no more than the others above and below.
constexpr double kDrawnUp = 0.25, kHipsUp = 0.1, kHipsDown = 0.15;

// The rest pose is on the ground if its feet are as near to height 0.
constexpr double kRestOverGround = 0.25;

// Feet of a clip are on the ground of the rest pose if it is no farther from theirs.
constexpr double kOnRestGround = 0.02;

std::vector<Affine> restWorlds(const Scene& scene) {
  std::vector<Affine> rest;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, rest);
  return rest;
}

// The height of the lowest heel or ball of the rest pose.
double restGround_m(std::span<const Affine> rest, const FeetTrace& trace) {
  double lowest_m = std::numeric_limits<double>::infinity();
  for (const FootTrace& foot : trace.feet) {
    for (const NodePoint& point : {foot.marks.heel, foot.marks.ball}) {
      lowest_m = std::min(lowest_m, transformPoint(rest[toSize(point.node)], point.offset).y);
    }
  }
  return lowest_m;
}

}  // namespace

bool areFeetOnRestGround(const Scene& scene, const FeetTrace& trace) {
  const double rest_m = restGround_m(restWorlds(scene), trace);
  return std::abs(trace.ground_m - rest_m) < kOnRestGround * trace.leg_m;
}

bool areLegsDrawnUp(const Scene& scene, int hips, const FeetTrace& trace) {
  if (hips < 0 || trace.body_m.empty()) return false;
  const std::vector<Affine> rest = restWorlds(scene);
  const double rest_m = restGround_m(rest, trace);
  if (std::abs(rest_m) > kRestOverGround * trace.leg_m) return false;
  const std::vector<Vec3> body_m = pathOnGround(trace, trace.body_m);
  const auto [low, high] = std::minmax_element(
      body_m.begin(), body_m.end(), [](const Vec3& a, const Vec3& b) { return a.y < b.y; });
  const double rest_hips_m = rest[toSize(hips)].translation.y;
  return trace.ground_m - rest_m > kDrawnUp * trace.leg_m &&
         high->y - rest_hips_m < kHipsUp * trace.leg_m &&
         rest_hips_m - low->y < kHipsDown * trace.leg_m;
}

}  // namespace clipmill::locomotion
