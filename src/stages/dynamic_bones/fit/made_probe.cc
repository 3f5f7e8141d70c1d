// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/fit/made_probe.h"

#include <algorithm>
#include <limits>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr double kRest_s = 0.2;   // before the first motion
constexpr double kMove_s = 0.5;   // of each motion
constexpr double kCycle_s = 1.2;  // a motion and the rest after it
constexpr int kMoves = 4;
constexpr double kPushInHeights = 0.2;
constexpr double kLean_rad = 45.0 * kDegree;

// 0 before motion `index`, 1 after it.
double shareOfMove(int index, double time_s) {
  const double t =
      std::clamp((time_s - kRest_s - static_cast<double>(index) * kCycle_s) / kMove_s, 0.0, 1.0);
  return t - portable::sin(2.0 * kPi * t) / (2.0 * kPi);
}

double heightOf_m(const Scene& scene, const Pose& rest) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, rest.locals, scene.metric_from_file, worlds);
  double low_m = std::numeric_limits<double>::max(), high_m = std::numeric_limits<double>::lowest();
  for (const Affine& world : worlds) {
    low_m = std::min(low_m, world.translation.y);
    high_m = std::max(high_m, world.translation.y);
  }
  return worlds.empty() ? 0.0 : high_m - low_m;
}

// Where the character is at that time, from where it is at rest; metric world space.
Affine carryAt(double time_s, double push_m) {
  const double lean = shareOfMove(2, time_s) - shareOfMove(3, time_s);
  const Quat rotation = rotationAbout(Vec3(0, 1, 0), 0.5 * kPi * shareOfMove(1, time_s)) *
                        rotationAbout(Vec3(1, 0, 0), kLean_rad * lean);
  return {glm::mat3_cast(rotation), Vec3(0.0, 0.0, push_m * shareOfMove(0, time_s))};
}

}  // namespace

Motion madeProbe(const Scene& scene) {
  const Pose rest = restPose(scene.skeleton);
  const double push_m = kPushInHeights * heightOf_m(scene, rest);
  Motion motion;
  motion.clip_name = "made";
  motion.grid = makeGrid(0.0, kRest_s + kMoves * kCycle_s, kMadeRate_hz);
  motion.node_count = scene.skeleton.size();
  motion.weight_count = rest.weights.size();
  motion.modified = TrackMask(scene.skeleton.size());
  const Affine file_from_metric = inverse(scene.metric_from_file);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    const Affine carry =
        file_from_metric * carryAt(motion.grid.timeOf(f), push_m) * scene.metric_from_file;
    for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
      Transform local = rest.locals[i];
      if (scene.skeleton.nodes[i].parent < 0) {
        local.translation = transformPoint(carry, local.translation);
        local.rotation = normalizedOrIdentity(rotationOf(carry) * local.rotation);
      }
      motion.locals.push_back(local);
    }
    motion.weights.insert(motion.weights.end(), rest.weights.begin(), rest.weights.end());
  }
  return motion;
}

}  // namespace clipmill::stages::dynamic_bones
