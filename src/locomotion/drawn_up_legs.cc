// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/drawn_up_legs.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

}  // namespace

bool areLegsDrawnUp(const Scene& scene, int hips, const FeetTrace& trace) {
  if (hips < 0 || trace.body_m.empty()) return false;
  std::vector<Affine> rest;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, rest);
  double rest_m = std::numeric_limits<double>::infinity();
  for (const FootTrace& foot : trace.feet) {
    for (const NodePoint& point : {foot.marks.heel, foot.marks.ball}) {
      rest_m = std::min(rest_m, transformPoint(rest[toSize(point.node)], point.offset).y);
    }
  }
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
