// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "penetration/self_penetration.h"
#include "retarget/contact_goals.h"
#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/goal_track.h"
#include "stages/self_collision/exact/skin_trial.h"

namespace clipmill::stages::self_collision {

/// Rows of a linear least-squares problem: slopes * step = -missing.
struct GoalRows {
  Eigen::MatrixXd slopes;
  Eigen::VectorXd missing;
};

/// What keeps arms that follow their goals out of the body, upper arms included.
class GoalClearance {
 public:
  /// Both must outlive it.
  GoalClearance(ClipContext& clip, const retarget::ClipContacts& contacts);

  /// Of the depth that other corrections leave, that which goals leave; negative: of a clearance
  /// that large.
  void setDepthShare(double depth_share) { depth_share_ = depth_share; }
  std::size_t pairCount() const { return trial_.pairs().size(); }
  /// Adds rows for pairs that are nearer than allowed, or were so in an earlier step, in the pose
  /// that the tracks have at a sample. `was_violated`: one a pair.
  void addRows(std::size_t sample, std::span<const GoalTrack> tracks,
               std::vector<bool>& was_violated, GoalRows& rows);

 private:
  double allowedDepth_m(std::size_t pair, std::size_t sample);
  std::vector<std::vector<Affine>> probedWorlds(std::size_t sample,
                                                std::span<const GoalTrack> tracks);
  std::optional<penetration::PairClearance> clearanceOf(std::size_t pair, double reach_m,
                                                        bool counts_free);

  ClipContext& clip_;
  SkinTrial trial_, base_trial_;                    // with upper arms
  std::vector<std::vector<double>> upper_depth_m_;  // of their pairs in the clip, [pair][sample]
  double depth_share_ = 1.0;
};

}  // namespace clipmill::stages::self_collision
