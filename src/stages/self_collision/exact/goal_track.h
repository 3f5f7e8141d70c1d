// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {

/// The change that one arm needs at the samples of a clip, as numbers: rotation vector of the
/// shoulder, flexion of the elbow, rotation vectors of the hand and of the clavicle, radians.
struct GoalTrack {
  static constexpr std::ptrdiff_t kConstantShare = 6;  // of the samples; frames only have goals
  static constexpr Eigen::Index kNumberCount = 10, kArmNumbers = 4, kClavicleNumber = 7;
  // Unaligned, so that it is laid out alike whether or not Eigen may use vectors.
  using Values = Eigen::Matrix<double, kNumberCount, 1, Eigen::DontAlign>;

  std::size_t limb = 0;
  std::vector<Values> values;  ///< One a sample; those beyond size() are 0.
  std::vector<bool> has_goal;  ///< The samples of which the values count.
  /// Only what keeps the jerk of elbows and wrists: without the rotation of the hand.
  bool is_simple = false;
  /// The rotation of the clavicle is searched too; else it stays as the values have it.
  bool moves_clavicle = false;

  /// In the pose that is being changed; else the arm stays as it is there.
  bool may_move = true;

  Eigen::Index size() const {
    if (!may_move) return 0;
    if (is_simple) return kArmNumbers;
    return moves_clavicle ? kNumberCount : kClavicleNumber;
  }
  static LimbChange changeOf(const Values& value) {
    LimbChange change;
    change.rotation = Vec3(value[0], value[1], value[2]);
    change.flexion = value[3];
    change.end_rotation = Vec3(value[4], value[5], value[6]);
    change.clavicle_rotation = Vec3(value[7], value[8], value[9]);
    return change;
  }
  /// Back to no goals and one rotation of the clavicle.
  void restart(const Eigen::Vector3d& clavicle_rad) {
    Values value = Values::Zero();
    value.tail<3>() = clavicle_rad;
    std::fill(values.begin(), values.end(), value);
    std::fill(has_goal.begin(), has_goal.end(), false);
  }
  /// Whether so many of the samples have a goal that a constant change serves them.
  bool isConstantOfUse() const {
    return kConstantShare * std::count(has_goal.begin(), has_goal.end(), true) >=
           static_cast<std::ptrdiff_t>(has_goal.size());
  }
  /// The mean rotation of the clavicle over the samples with a goal.
  Eigen::Vector3d meanClavicle_rad() const {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    double count = 0.0;
    for (std::size_t s = 0; s < values.size(); ++s) {
      if (!has_goal[s]) continue;
      sum += values[s].tail<3>();
      count += 1.0;
    }
    return sum / std::max(1.0, count);
  }
};

/// Of a derivative by finite differences of the numbers.
inline constexpr double kGoalProbe = 1e-3;
/// An error of that many heights counts as one.
inline constexpr double kGoalUnitHeights = 0.01;

/// The changes of all limbs in the pose that the tracks have at a sample.
inline std::vector<LimbChange> changesOf(std::span<const GoalTrack> tracks, std::size_t sample,
                                         std::size_t limb_count) {
  std::vector<LimbChange> changes(limb_count);
  for (const GoalTrack& track : tracks) {
    changes[track.limb] = GoalTrack::changeOf(track.values[sample]);
  }
  return changes;
}

}  // namespace clipmill::stages::self_collision
