// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
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

/// A point of a pair that is nearer than allowed, or was so before.
struct ClearanceSite {
  std::size_t pair = 0;
  penetration::PairClearance at;
  double excess_m = 0.0;  ///< By how much; negative where it is not.
};

/// What keeps arms that follow their goals out of the body, upper arms included.
class GoalClearance {
 public:
  /// Both must outlive it.
  GoalClearance(ClipContext& clip, const retarget::ClipContacts& contacts);

  /// Of the depth that other corrections leave, that which goals leave; negative: of a clearance
  /// that large.
  void setDepthShare(double depth_share) { depth_share_ = depth_share; }
  /// How much clearance counts, relative to its usual weight.
  void setWeight(double weight) { weight_ = weight; }
  /// Whether upper arms keep off the head too. Armpits are narrow between trunk and head, so that
  /// their clearance is then a smaller one.
  void setCountsHead(bool counts_head) { counts_head_ = counts_head; }
  bool countsHead() const { return counts_head_; }
  /// Whether an upper arm penetrates the head in the pose that the tracks have at a sample.
  bool isUpperArmInHead(std::size_t sample, std::span<const GoalTrack> tracks);
  std::size_t pairCount() const { return trial_.pairs().size(); }
  /// The points of the arms that penetrate by more than allowed or are nearer than allowed, in the
  /// pose that the tracks have at a sample; of pairs that were so before also those that are not.
  /// `was_violated`: one a pair.
  std::vector<ClearanceSite> sitesAt(std::size_t sample, std::span<const GoalTrack> tracks,
                                     const std::vector<bool>& was_violated);
  /// The sum of the squares of what sites are nearer than allowed, weighed as in the rows.
  double costOf(std::span<const ClearanceSite> sites) const;
  /// Adds a row for each of the sites of that pose.
  void addRows(std::size_t sample, std::span<const GoalTrack> tracks,
               std::span<const ClearanceSite> sites, GoalRows& rows);

 private:
  bool isUpperArm(std::size_t pair) const;
  bool isUpperArmAndHead(std::size_t pair) const;
  double allowedDepth_m(std::size_t pair, std::size_t sample);
  std::vector<std::vector<Affine>> probedWorlds(std::size_t sample,
                                                std::span<const GoalTrack> tracks);
  void addSites(std::size_t pair, const SkinTrial& trial, double allowed_m, bool was_violated,
                std::vector<ClearanceSite>& sites);
  double unit_m() const { return kGoalUnitHeights * clip_.source.height_m; }
  SkinTrial& trialOf(std::size_t sample);

  ClipContext& clip_;
  SkinTrial trial_, base_trial_;  // with upper arms
  // Of the first samples that are asked for: what the arms do not move stays posed there.
  std::vector<std::unique_ptr<SkinTrial>> trials_;
  std::size_t free_trials_ = 0;
  std::vector<std::vector<double>> upper_depth_m_;  // of their pairs in the clip, [pair][sample]
  double depth_share_ = 1.0, weight_ = 1.0;
  bool counts_head_ = false;
};

}  // namespace clipmill::stages::self_collision
