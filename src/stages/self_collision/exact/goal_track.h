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
/// shoulder, flexion of the elbow, rotation vector of the hand, radians.
struct GoalTrack {
  static constexpr Eigen::Index kNumberCount = 7, kArmNumbers = 4;
  using Values = Eigen::Matrix<double, kNumberCount, 1>;

  std::size_t limb = 0;
  std::vector<Values> values;  ///< One a sample; those beyond size() are 0.
  std::vector<bool> has_goal;  ///< The samples of which the values count.
  /// Only what keeps the jerk of elbows and wrists: without the rotation of the hand.
  bool is_simple = false;

  /// In the pose that is being changed; else the arm stays as it is there.
  bool may_move = true;

  Eigen::Index size() const { return !may_move ? 0 : is_simple ? kArmNumbers : kNumberCount; }
  static LimbChange changeOf(const Values& value) {
    LimbChange change;
    change.rotation = Vec3(value[0], value[1], value[2]);
    change.flexion = value[3];
    change.end_rotation = Vec3(value[4], value[5], value[6]);
    return change;
  }
  void clear() {
    std::fill(values.begin(), values.end(), Values::Zero());
    std::fill(has_goal.begin(), has_goal.end(), false);
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
