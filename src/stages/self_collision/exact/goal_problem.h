// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Dense>

#include "retarget/contact_goals.h"
#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/goal_clearance.h"
#include "stages/self_collision/exact/goal_pose.h"
#include "stages/self_collision/exact/goal_track.h"

namespace clipmill::stages::self_collision {

/// A pose that tracks have at a sample.
struct GoalState {
  Eigen::VectorXd missing;           ///< Of goals and elbows, in units of the error.
  std::vector<ClearanceSite> sites;  ///< Empty where clearance does not count.
  double cost = 0.0;                 ///< With what the changes of the arms cost.
};

/// What arms that follow the goals of a clip miss in one pose, and how that changes with the
/// numbers of their tracks.
class GoalProblem {
 public:
  /// Both must outlive it.
  GoalProblem(ClipContext& clip, const retarget::ClipContacts& contacts);

  /// One an arm.
  std::vector<GoalTrack>& tracks() { return tracks_; }
  const std::vector<GoalTrack>& tracks() const { return tracks_; }
  GoalClearance& clearance() { return clearance_; }

  /// Whether any goal is in contact at a sample, and whether the arm is one side of one.
  bool isInAnyContact(std::size_t sample) const;
  bool hasGoal(const GoalTrack& track, std::size_t sample) const;

  /// Sets the pose that the tracks have at a sample. `was_violated`: one a pair, of
  /// GoalClearance::sitesAt().
  GoalState stateAt(std::size_t sample, bool counts_clearance,
                    const std::vector<bool>& was_violated);
  /// The rows of that pose, one column a number of all tracks; marks the pairs of its sites.
  GoalRows rowsAt(std::size_t sample, const GoalState& state, std::vector<bool>& was_violated);

  /// What the square of each number costs.
  static GoalTrack::Values sizesOfNumbers();
  /// Of each number, so that no joint exceeds its rotation limit by one number alone.
  GoalTrack::Values largestNumbers() const;

 private:
  void makeTracks();
  Eigen::VectorXd missingNumbers() const;
  Eigen::MatrixXd slopesOf(std::size_t sample, const Eigen::VectorXd& missing);

  ClipContext& clip_;
  const retarget::ClipContacts& contacts_;
  GoalPose pose_;
  GoalClearance clearance_;
  std::vector<GoalTrack> tracks_;
};

}  // namespace clipmill::stages::self_collision
