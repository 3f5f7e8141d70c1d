// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/to_size.h"
#include "human_scene.h"
#include "locomotion/foot_contacts.h"

namespace clipmill::test {

/// A gait whose footfalls are known: each foot is at rest for the first `stance` of its cycle, and
/// moves to its next position in the remainder, with the speed of a half sine.
struct MadeWalk {
  double cycle_s = 1.0, stance = 0.6, stride_m = 1.2, lift_m = 0.1, length_s = 6.0;
  Vec3 start_m{0.0};
  std::function<double(const Vec3&)> ground_m = [](const Vec3&) { return 0.0; };
  double direction_rad = 0.0;  ///< Of travel, from where the character faces, to its left.
  bool on_spot = false;        ///< On ground that moves back.
  double metres_per_unit = 1.0;
  double size = 1.0;  ///< Of character and gait, as the file has them.
  Quat metric_from_file = kIdentityRotation;
  /// The foot is put down with the heel and lifted with the ball: the shares of the stance in which
  /// the ball comes down and the heel lifts, and the pitch at its start and at its end.
  double ball_down = 0.0, heel_lifts = 1.0, strike_rad = 0.0, push_rad = 0.0;
  double noise_m = 0.0;  ///< Standard deviation of each coordinate of the feet, at every frame.
  unsigned noise_seed = 1;

  double shift(locomotion::BodySide side) const {
    return side == locomotion::BodySide::kLeft ? 0.0 : 0.5 * cycle_s;
  }
  Vec3 direction() const { return {std::sin(direction_rad), 0.0, std::cos(direction_rad)}; }

  /// Where a foot is in its cycle: number of the cycle, and the share of it that has passed.
  struct Phase {
    double cycle = 0.0, share = 0.0;
  };
  Phase phaseAt(locomotion::BodySide side, double time_s) const {
    const double cycles = (time_s + shift(side)) / cycle_s;
    return {std::floor(cycles), cycles - std::floor(cycles)};
  }

  /// Share of the swing that has passed; 0 in the stance.
  double swingAt(const Phase& phase) const {
    return std::max(0.0, phase.share - stance) / (1.0 - stance);
  }

  /// Pitch of the foot, toes up.
  double pitchAt(const Phase& phase) const {
    const auto level = [](double u) { return 0.5 - 0.5 * std::cos(kPi * std::clamp(u, 0.0, 1.0)); };
    const double share = phase.share / stance;
    if (share <= ball_down) return strike_rad * (1.0 - level(share / ball_down));
    if (share <= heel_lifts) return 0.0;
    if (share <= 1.0) {
      return -push_rad * (1.0 - std::cos(0.5 * kPi * (share - heel_lifts) / (1.0 - heel_lifts)));
    }
    return -push_rad + (push_rad + strike_rad) * level(swingAt(phase));
  }

  /// Position of the sole below the ankle of a level foot, on ground that rests.
  Vec3 footAt(locomotion::BodySide side, double time_s) const {
    const Phase phase = phaseAt(side, time_s);
    const double u = swingAt(phase);
    const double x = side == locomotion::BodySide::kLeft ? 0.1 : -0.1;
    const double behind = side == locomotion::BodySide::kLeft ? 0.0 : 0.5;
    const auto footfall = [&](double k) {
      Vec3 at = start_m + Vec3(x, 0.0, 0.0) + stride_m * (k - behind) * direction();
      at.y = ground_m(at);
      return at;
    };
    const double part = 0.5 - 0.5 * std::cos(kPi * u);
    Vec3 at = footfall(phase.cycle) + part * (footfall(phase.cycle + 1.0) - footfall(phase.cycle));
    at.y += lift_m * std::sin(kPi * u) * std::sin(kPi * u) * (u > 0.0 ? 1.0 : 0.0);
    return at;
  }

  Vec3 bodyAt(double time_s) const {
    Vec3 at = start_m + stride_m / cycle_s * (time_s + 0.3 * cycle_s) * direction();
    at.y = 0.9 + ground_m(at);
    return at;
  }

  /// How far the ground under the character has moved back.
  Vec3 movedBack(double time_s) const {
    return on_spot ? stride_m / cycle_s * time_s * direction() : Vec3(0.0);
  }

  /// Times between two shares of the stance in which a part of a foot is at rest.
  std::vector<locomotion::TimeSpan> restsOf(locomotion::BodySide side, double from,
                                            double to) const {
    std::vector<locomotion::TimeSpan> spans;
    for (double n = -1.0; n * cycle_s < length_s + cycle_s; n += 1.0) {
      const double start_s = n * cycle_s - shift(side);
      const locomotion::TimeSpan span{std::max(0.0, start_s + from * stance * cycle_s),
                                      std::min(length_s, start_s + to * stance * cycle_s)};
      if (span.length() > 1e-9) spans.push_back(span);
    }
    return spans;
  }
  std::vector<locomotion::TimeSpan> heelRests(locomotion::BodySide side) const {
    return restsOf(side, 0.0, heel_lifts);
  }
  std::vector<locomotion::TimeSpan> ballRests(locomotion::BodySide side) const {
    return restsOf(side, ball_down, 1.0);
  }
};

struct MadeScene {
  Scene scene;
  humanoid::HumanoidMap map;
  Motion motion;
};

/// Where the ankle of a foot is whose sole would be at `sole_m` if it were level: with toes up the
/// foot is rotated about its heel, with toes down about its ball (footMarks() of humanScene()).
inline Vec3 ankleOf(const Vec3& sole_m, double pitch_rad) {
  const Vec3 ankle = sole_m + Vec3(0.0, 0.08, 0.0);
  const Vec3 pivot = sole_m + (pitch_rad > 0.0 ? Vec3(0.0, 0.0, -0.056) : Vec3(0.0, 0.02, 0.14));
  return pivot + rotationAbout(Vec3(1, 0, 0), -pitch_rad) * (ankle - pivot);
}

inline MadeScene make(const MadeWalk& walk, double fps = 30.0) {
  using humanoid::HumanoidRole;
  HumanScene human = humanScene(plainNames());
  MadeScene made;
  made.scene = std::move(human.scene);
  for (std::size_t i = 0; i < humanoid::kHumanoidRoleCount; ++i) {
    made.map.nodes[i] = human.nodes[i];
  }
  made.map.origin = humanoid::HumanoidMap::Origin::kGiven;
  made.map.confidence = 1.0;
  const Mat3 metric_from_file = glm::mat3_cast(walk.metric_from_file) * walk.metres_per_unit;
  const Mat3 file_from_metric = glm::inverse(metric_from_file) * walk.size;
  made.scene.metric_from_file.linear = metric_from_file;
  Motion& motion = made.motion;
  motion.clip_name = "walk";
  motion.grid = makeGrid(0.0, walk.length_s, fps);
  motion.node_count = made.scene.skeleton.size();
  motion.modified = TrackMask(motion.node_count);
  const auto at = [&](HumanoidRole role) { return toSize(human.at(role)); };
  const Mat3 file_axes = glm::mat3_cast(glm::conjugate(walk.metric_from_file));
  std::mt19937 random(walk.noise_seed);
  // Sum of twelve evenly distributed numbers: nearly normal, and the same for any library.
  const auto noise = [&] {
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(random()) / 4294967296.0;
    return walk.noise_m / walk.size * sum;
  };
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    std::vector<Transform> locals;
    for (const Node& node : made.scene.skeleton.nodes) locals.push_back(node.rest);
    const double time_s = motion.grid.timeOf(i);
    const Vec3 body = walk.bodyAt(time_s) - walk.movedBack(time_s);
    locals[at(HumanoidRole::kHips)].translation = body;
    for (const locomotion::BodySide side : locomotion::kBodySides) {
      const bool is_left = side == locomotion::BodySide::kLeft;
      const auto upper = at(is_left ? HumanoidRole::kLeftUpperLeg : HumanoidRole::kRightUpperLeg);
      const auto lower = at(is_left ? HumanoidRole::kLeftLowerLeg : HumanoidRole::kRightLowerLeg);
      const auto foot = at(is_left ? HumanoidRole::kLeftFoot : HumanoidRole::kRightFoot);
      const double pitch = walk.pitchAt(walk.phaseAt(side, time_s));
      const Vec3 ankle = ankleOf(walk.footAt(side, time_s) - walk.movedBack(time_s), pitch);
      const Vec3 shin = body + locals[upper].translation + locals[lower].translation;
      const Vec3 off(noise(), noise(), noise());
      locals[foot].translation = ankle - shin + off;
      locals[foot].rotation = rotationAbout(file_axes * Vec3(1, 0, 0), -pitch);
    }
    for (Transform& local : locals) local.translation = file_from_metric * local.translation;
    motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
  }
  for (Node& node : made.scene.skeleton.nodes) {
    node.rest.translation = file_from_metric * node.rest.translation;
  }
  return made;
}

}  // namespace clipmill::test
