// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/hand_lock.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "locomotion/foot_lock_move.h"

namespace clipmill::locomotion {
namespace {

// A hand nearer than this to its target has reached it.
constexpr double kThere_m = 1e-6;

// The arms of a character, left before right, and its hips.
struct Arms {
  Arms(const Skeleton& skeleton, const humanoid::HumanoidMap& map)
      : hips(map[humanoid::HumanoidRole::kHips]) {
    limbs = limbsOf(skeleton, map, true);
    std::erase_if(limbs, [](const Limb& limb) { return limb.is_leg; });
  }
  bool isComplete() const { return hips >= 0 && limbs.size() == 2; }

  std::vector<Limb> limbs;
  int hips;
};

// Middle of the shoulders, and axes: to the right, up, and across.
struct ShoulderFrame {
  Vec3 middle_m{0.0};
  Mat3 axes{1.0};
};

std::optional<ShoulderFrame> shouldersOf(const Arms& arms, const std::vector<Affine>& worlds) {
  const auto position = [&](int node) { return worlds[toSize(node)].translation; };
  const Vec3 left = position(arms.limbs[0].upper), right = position(arms.limbs[1].upper);
  const Vec3 middle = 0.5 * (left + right);
  const Vec3 across = right - left, up = middle - position(arms.hips);
  const Vec3 ahead = glm::cross(across, up);
  if (!(lengthOf(ahead) > 0.0)) return std::nullopt;
  const Vec3 x = across / lengthOf(across), z = ahead / lengthOf(ahead);
  return ShoulderFrame{middle, Mat3(x, glm::cross(z, x), z)};
}

double lengthOfArm(const Limb& limb, const std::vector<Affine>& worlds) {
  const auto position = [&](int node) { return worlds[toSize(node)].translation; };
  return lengthOf(position(limb.lower) - position(limb.upper)) +
         lengthOf(position(limb.end) - position(limb.lower));
}

// How far a hand is from where it should be; 0 where a character has no shoulders to speak of.
Vec3 offsetOf(const Arms& from, const std::vector<Affine>& source, const Arms& to,
              const std::vector<Affine>& target, std::size_t arm) {
  const auto source_frame = shouldersOf(from, source), target_frame = shouldersOf(to, target);
  const double source_m = lengthOfArm(from.limbs[arm], source);
  if (!source_frame || !target_frame || !(source_m > 0.0)) return Vec3(0.0);
  const double scale = lengthOfArm(to.limbs[arm], target) / source_m;
  const Vec3 hand = source[toSize(from.limbs[arm].end)].translation;
  const Vec3 seen = glm::transpose(source_frame->axes) * (hand - source_frame->middle_m);
  const Vec3 goal = target_frame->middle_m + target_frame->axes * (scale * seen);
  return goal - target[toSize(to.limbs[arm].end)].translation;
}

}  // namespace

HandKeepReport keepHands(const Scene& source, const humanoid::HumanoidMap& source_map,
                         const Motion& motion, const Scene& target,
                         const humanoid::HumanoidMap& target_map, Motion& transferred) {
  const Arms from(source.skeleton, source_map), to(target.skeleton, target_map);
  HandKeepReport report;
  report.found_arms = from.isComplete() && to.isComplete();
  if (!report.found_arms) return report;
  std::vector<LimbTask> tasks(to.limbs.size());
  for (std::size_t arm = 0; arm < tasks.size(); ++arm) tasks[arm].limb = to.limbs[arm];
  const std::size_t count = transferred.grid.frame_count;
  std::vector<Affine> source_worlds, target_worlds;
  for (std::size_t f = 0; f < count; ++f) {
    computeWorlds(source.skeleton, motion.localsOf(f), source.metric_from_file, source_worlds);
    computeWorlds(target.skeleton, transferred.localsOf(f), target.metric_from_file, target_worlds);
    for (std::size_t arm = 0; arm < tasks.size(); ++arm) {
      noteFrame(target_worlds, target_worlds, tasks[arm]);
      const Vec3 offset = offsetOf(from, source_worlds, to, target_worlds, arm);
      const double away_m = lengthOf(offset);
      tasks[arm].plan.offset_m.push_back(away_m > kThere_m ? offset : Vec3(0.0));
      tasks[arm].plan.yaw_rad.push_back(0.0);
      report.farthest_m = std::max(report.farthest_m, away_m);
    }
  }
  moveLimbs(target, -1, std::vector<double>(count, 0.0), tasks, transferred);
  for (const LimbTask& task : tasks) {
    for (const double short_m : task.short_m) report.short_m = std::max(report.short_m, short_m);
  }
  return report;
}

}  // namespace clipmill::locomotion
