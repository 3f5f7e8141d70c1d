// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_clearance.h"

#include <algorithm>

#include "core/to_size.h"
#include "stages/self_collision/exact/limb_groups.h"
#include "stages/self_collision/exact/pair_separation.h"

namespace clipmill::stages::self_collision {
namespace {

using Index = Eigen::Index;

constexpr Index kMaxNumbers = GoalTrack::kNumberCount;
// Weights relative to goals: of penetration, and of pairs that penetrated before.
constexpr double kClearanceOfGoal = 4.0, kKeptOfGoal = 0.5;
constexpr double kUpperArmDepth = 0.5;  // of the tolerance

}  // namespace

GoalClearance::GoalClearance(ClipContext& clip, const retarget::ClipContacts& contacts)
    : clip_(clip),
      trial_(clip.scene, *contacts.with_upper_arms, clip.poser),
      base_trial_(trial_.withoutPose()) {}

// The depth at which goals leave a pair; negative for a clearance. Upper arms are free, or as in
// the clip where the others may penetrate a little.
double GoalClearance::allowedDepth_m(std::size_t pair, std::size_t sample) {
  const auto is_known = [&](const penetration::PartPair& known) {
    return known.name == trial_.pairs()[pair].name;
  };
  const auto same = std::find_if(clip_.skin.pairs().begin(), clip_.skin.pairs().end(), is_known);
  const bool is_upper = trial_.pairs()[pair].limb == humanoid::BodyPart::kLeftUpperArm ||
                        trial_.pairs()[pair].limb == humanoid::BodyPart::kRightUpperArm;
  if (!is_upper && same != clip_.skin.pairs().end()) {
    const auto index = toSize(same - clip_.skin.pairs().begin());
    return depth_share_ * clip_.source.targetDepth_m(sample, index);
  }
  const double least_m = kUpperArmDepth * clip_.source.tolerance_m;
  if (depth_share_ < 0.0) return least_m;
  upper_depth_m_.resize(trial_.pairs().size());
  std::vector<double>& depths = upper_depth_m_[pair];
  if (depths.empty()) depths.assign(clip_.base.count(), -1.0);
  if (depths[sample] < 0.0) {
    base_trial_.setPose(clip_.base.at(sample), {});
    depths[sample] = base_trial_.measure(pair).depth_m;
  }
  return std::max(least_m, depths[sample]);
}

// The pose of the trial with each number of all tracks a little larger; none for numbers that do
// not count.
std::vector<std::vector<Affine>> GoalClearance::probedWorlds(std::size_t sample,
                                                             std::span<const GoalTrack> tracks) {
  const std::vector<LimbChange> changes = changesOf(tracks, sample, clip_.poser.limbCount());
  std::vector<std::vector<Affine>> probed(tracks.size() * toSize(static_cast<int>(kMaxNumbers)));
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const GoalTrack& track = tracks[t];
    for (Index n = 0; n < track.size(); ++n) {
      GoalTrack::Values probe = track.values[sample];
      probe[n] += kGoalProbe;
      std::vector<LimbChange> other = changes;
      other[track.limb] = GoalTrack::changeOf(probe);
      probed[t * kMaxNumbers + toSize(static_cast<int>(n))] = trial_.worldsWith(other);
    }
  }
  return probed;
}

// Where a pair of the trial's pose is nearest or penetrates most; none where it is free and need
// not count.
std::optional<penetration::PairClearance> GoalClearance::clearanceOf(std::size_t pair,
                                                                     double reach_m,
                                                                     bool counts_free) {
  const penetration::PairDepth depth = trial_.measure(pair);
  if (depth.depth_m > 0.0) {
    return penetration::PairClearance{-depth.depth_m, true, depth.position_m,
                                      depth.position_m + depth.exit_m};
  }
  if (!counts_free) return std::nullopt;
  const penetration::PairClearance at = trial_.clearance(pair, reach_m);
  return at.is_within_reach ? std::optional(at) : std::nullopt;
}

void GoalClearance::addRows(std::size_t sample, std::span<const GoalTrack> tracks,
                            std::vector<bool>& was_violated, GoalRows& rows) {
  const std::vector<LimbChange> changes = changesOf(tracks, sample, clip_.poser.limbCount());
  trial_.setPose(clip_.base.at(sample), changes);
  const double unit_m = kGoalUnitHeights * clip_.source.height_m;
  const std::vector<Affine> worlds = trial_.worldsWith(changes);
  const std::vector<std::vector<Affine>> probed = probedWorlds(sample, tracks);
  std::vector<std::size_t> limbs;
  for (const GoalTrack& track : tracks) limbs.push_back(track.limb);
  for (const std::size_t pair : pairsOf(limbs, clip_.poser, trial_.pairs())) {
    const double allowed_m = allowedDepth_m(pair, sample);
    const auto at = clearanceOf(pair, unit_m, allowed_m < 0.0 || was_violated[pair]);
    if (!at) continue;
    const double excess_m = -at->clearance_m - allowed_m;
    if (!(excess_m > 0.0) && !was_violated[pair]) continue;
    was_violated[pair] = true;
    const double weight = excess_m > 0.0 ? kClearanceOfGoal : kKeptOfGoal;
    Eigen::VectorXd slopes = Eigen::VectorXd::Zero(rows.slopes.cols());
    for (std::size_t n = 0; n < probed.size(); ++n) {
      for (const std::size_t limb : limbs) {
        if (probed[n].empty()) continue;
        slopes[static_cast<Index>(n)] +=
            weight *
            separation_m(clip_.poser.limb(limb), trial_.pairs()[pair], *at, worlds, probed[n]) /
            (kGoalProbe * unit_m);
      }
    }
    rows.slopes.conservativeResize(rows.slopes.rows() + 1, Eigen::NoChange);
    rows.slopes.bottomRows<1>() = slopes.transpose();
    rows.missing.conservativeResize(rows.missing.size() + 1);
    rows.missing[rows.missing.size() - 1] = -weight * std::max(0.0, excess_m) / unit_m;
  }
}

}  // namespace clipmill::stages::self_collision
