// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/least_norm_correction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Dense>

#include "core/to_size.h"
#include "stages/self_collision/exact/limb_groups.h"
#include "stages/self_collision/exact/pair_separation.h"

namespace clipmill::stages::self_collision {
namespace {

using Numbers = Eigen::VectorXd;
using Index = Eigen::Index;

// Shift and rotation along three axes, and a swivel, of each limb; or of hands in a grip one shift
// and rotation and a pitch of both arms, and then a swivel of each arm.
constexpr Index kNumbersPerLimb = 7, kNumbersOfGrip = 7, kPitchIndex = 6;
constexpr Index kForwardIndex = 2;  // which of them
constexpr Index kShifts = 3;        // the first numbers
constexpr int kMaxCorrectionSteps = 24, kMaxRepairSteps = 4, kMaxShrinks = 6;
constexpr double kProbe = 1e-3;  // of the finite differences; shifts are in limb lengths
constexpr double kMaxStep = 0.2, kMaxChange = 0.9;
constexpr double kForwardStart = 0.3;

constexpr double kShrink = 0.75;
// Shares of the contact distance: damping; margin beyond a limit that steps aim at, so that they
// end; range in which gaps are measured.
constexpr double kDamping = 1.5, kMargin = 0.05, kReach = 15.0;

// The start of a search, and what it may change.
struct Attempt {
  double forward = 0.0;       // of all limbs, in limb lengths
  bool by_rotations = false;  // no shifts
};
// A constant rotation does not raise the jerk of a joint; a shift does where the limb extends.
constexpr Attempt kAttempts[] = {{0.0, false}, {kForwardStart, false}, {0.0, true}};

// A limit in one of the poses, and its violation.
struct Row {
  std::size_t pose = 0;
  ClearanceLimits limits;
  penetration::PairClearance measured;
  double missing_m = 0.0;     // change of clearance that meets the limit
  bool was_violated = false;  // since the start of the search
};

class LeastNormSearch {
 public:
  LeastNormSearch(const SkinTrial& character, std::span<const std::size_t> limbs,
                  std::span<const ConstrainedPose> poses, double contact_distance_m, LimbsAs as);

  std::optional<Numbers> solve(const Attempt& attempt);
  std::vector<LimbChange> unitsOf(const Numbers& change) const;

 private:
  std::vector<LimbChange> changesOf(const Numbers& change, std::size_t pose) const;
  void measureAt(const Numbers& change);
  bool markMissing();
  Eigen::MatrixXd slopesAt(const Numbers& change) const;
  Numbers stepFrom(const Numbers& change) const;
  std::optional<Numbers> repaired(Numbers change, int max_steps);
  bool isGrip() const { return as_ != LimbsAs::kSingle; }
  // What bends elbows: shifts, and rotations of hands in a grip whose arms may pitch instead.
  bool isShift(Index number) const {
    if (!isGrip()) return number % kNumbersPerLimb < kShifts;
    return number < (as_ == LimbsAs::kPitchedGrip ? kPitchIndex : kShifts);
  }

  bool isWithoutPitch(Index number) const { return as_ == LimbsAs::kGrip && number == kPitchIndex; }

  std::span<const std::size_t> limbs_;
  std::span<const ConstrainedPose> poses_;
  double contact_distance_m_;
  std::vector<SkinTrial> trials_;  // one per pose
  std::vector<Row> rows_;
  LimbsAs as_;
  bool by_rotations_ = false;
};

LeastNormSearch::LeastNormSearch(const SkinTrial& character, std::span<const std::size_t> limbs,
                                 std::span<const ConstrainedPose> poses, double contact_distance_m,
                                 LimbsAs as)
    : limbs_(limbs), poses_(poses), contact_distance_m_(contact_distance_m), as_(as) {
  for (std::size_t pose = 0; pose < poses.size(); ++pose) {
    trials_.push_back(character.withoutPose());
    trials_.back().setPose({poses[pose].locals, poses[pose].weights}, poses[pose].changes);
    for (const ClearanceLimits& limits : poses[pose].limits) rows_.push_back({pose, limits, {}});
  }
}

std::vector<LimbChange> LeastNormSearch::unitsOf(const Numbers& change) const {
  std::vector<LimbChange> units(limbs_.size());
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    if (isGrip()) {
      units[i].grip_shift = Vec3(change[0], change[1], change[2]);
      units[i].grip_rotation = Vec3(change[3], change[4], change[5]);
      units[i].pitch = change[kPitchIndex];
      units[i].swivel = change[kNumbersOfGrip + static_cast<Index>(i)];
      continue;
    }
    const Index at = kNumbersPerLimb * static_cast<Index>(i);
    units[i].shift = Vec3(change[at], change[at + 1], change[at + 2]);
    units[i].rotation = Vec3(change[at + 3], change[at + 4], change[at + 5]);
    units[i].swivel = change[at + 6];
  }
  return units;
}

// Of all limbs.
std::vector<LimbChange> LeastNormSearch::changesOf(const Numbers& change, std::size_t pose) const {
  std::vector<LimbChange> changes = poses_[pose].changes;
  const std::vector<LimbChange> units = unitsOf(change);
  for (std::size_t i = 0; i < limbs_.size(); ++i) changes[limbs_[i]] += units[i];
  return changes;
}

void LeastNormSearch::measureAt(const Numbers& change) {
  for (std::size_t pose = 0; pose < poses_.size(); ++pose) {
    const std::vector<LimbChange> all = changesOf(change, pose);
    std::vector<LimbChange> changes;
    for (const std::size_t limb : limbs_) changes.push_back(all[limb]);
    trials_[pose].setChanges(limbs_, changes);
  }
  for (Row& row : rows_) {
    // Gaps without an upper limit matter only near their lower one.
    const double reach_m = std::isfinite(row.limits.max_m)
                               ? kReach * contact_distance_m_
                               : std::max(0.0, row.limits.min_m) + contact_distance_m_;
    row.measured = trials_[row.pose].clearance(row.limits.pair, reach_m);
  }
}

// True if any limit is violated.
bool LeastNormSearch::markMissing() {
  const double margin_m = kMargin * contact_distance_m_;
  bool is_any = false;
  for (Row& row : rows_) {
    row.missing_m = 0.0;
    const double clearance_m = row.measured.clearance_m;
    if (clearance_m < row.limits.min_m) {
      row.missing_m = row.limits.min_m + margin_m - clearance_m;
    } else if (clearance_m > row.limits.max_m) {
      row.missing_m = row.limits.max_m - margin_m - clearance_m;
    } else {
      continue;
    }
    row.was_violated = is_any = true;
  }
  return is_any;
}

// The Jacobian of the clearances: separation speed of the points of each pair that are
// nearest or penetrate most,
// carried by their bones.
Eigen::MatrixXd LeastNormSearch::slopesAt(const Numbers& change) const {
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(static_cast<Index>(rows_.size()), change.size());
  for (std::size_t pose = 0; pose < poses_.size(); ++pose) {
    const SkinTrial& trial = trials_[pose];
    const std::vector<Affine> worlds = trial.worldsWith(changesOf(change, pose));
    for (Index j = 0; j < change.size(); ++j) {
      if ((by_rotations_ && isShift(j)) || isWithoutPitch(j)) continue;
      Numbers probe = change;
      probe[j] += kProbe;
      const std::vector<Affine> probed = trial.worldsWith(changesOf(probe, pose));
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        const Row& row = rows_[k];
        if (row.pose != pose || !row.was_violated || !row.measured.is_within_reach) continue;
        const penetration::PartPair& pair = trial.pairs()[row.limits.pair];
        double separated_m = 0.0;
        for (const std::size_t limb : limbs_) {
          if (!isGrip() && limb != limbs_[toSize(j / kNumbersPerLimb)]) continue;
          separated_m += separation_m(trial.poser().limb(limb), pair, row.measured, worlds, probed);
        }
        slopes(static_cast<Index>(k), j) = separated_m / kProbe;
      }
    }
  }
  return slopes;
}

Numbers LeastNormSearch::stepFrom(const Numbers& change) const {
  const Eigen::MatrixXd slopes = slopesAt(change);
  Numbers missing_m(static_cast<Index>(rows_.size()));
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    missing_m[static_cast<Index>(k)] = rows_[k].missing_m;
  }
  Eigen::MatrixXd squares = slopes * slopes.transpose();
  squares.diagonal().array() += kDamping * contact_distance_m_ * kDamping * contact_distance_m_;
  Numbers step = slopes.transpose() * squares.ldlt().solve(missing_m);
  const double length = step.norm();
  if (length > kMaxStep) step *= kMaxStep / length;
  return step;
}

std::optional<Numbers> LeastNormSearch::repaired(Numbers change, int max_steps) {
  for (Row& row : rows_) row.was_violated = false;
  for (int step = 0; step < max_steps; ++step) {
    measureAt(change);
    if (!markMissing()) return change;
    change += stepFrom(change);
    if (!(change.cwiseAbs().maxCoeff() <= kMaxChange)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Numbers> LeastNormSearch::solve(const Attempt& attempt) {
  by_rotations_ = attempt.by_rotations;
  const auto limb_count = static_cast<Index>(limbs_.size());
  Numbers start =
      Numbers::Zero(isGrip() ? kNumbersOfGrip + limb_count : kNumbersPerLimb * limb_count);
  for (Index at = kForwardIndex; at < start.size(); at += kNumbersPerLimb) {
    if (!isGrip() || at == kForwardIndex) start[at] = attempt.forward;
  }
  std::optional<Numbers> best = repaired(std::move(start), kMaxCorrectionSteps);
  double share = kShrink;
  for (int i = 0; best && i < kMaxShrinks; ++i) {
    std::optional<Numbers> smaller = repaired(share * *best, kMaxRepairSteps);
    if (smaller && smaller->norm() < best->norm()) {
      best = std::move(smaller);
    } else {
      share = 0.5 * (1.0 + share);
    }
  }
  return best;
}

}  // namespace

ConstrainedPose constrainedPoseAt(ClipContext& clip, std::size_t sample) {
  const PoseSpans pose = clip.base.at(sample);
  return {{pose.locals.begin(), pose.locals.end()},
          {pose.weights.begin(), pose.weights.end()},
          clip.stack.at(sample),
          {}};
}

std::vector<std::vector<LimbChange>> leastNormCorrections(const SkinTrial& character,
                                                          std::span<const std::size_t> limbs,
                                                          std::span<const ConstrainedPose> poses,
                                                          double contact_distance_m, LimbsAs as) {
  LeastNormSearch search(character, limbs, poses, contact_distance_m, as);
  std::vector<Numbers> found;
  for (const Attempt& attempt : kAttempts) {
    if (std::optional<Numbers> change = search.solve(attempt)) found.push_back(std::move(*change));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Numbers& a, const Numbers& b) { return a.norm() < b.norm(); });
  std::vector<std::vector<LimbChange>> corrections;
  for (const Numbers& change : found) corrections.push_back(search.unitsOf(change));
  return corrections;
}

}  // namespace clipmill::stages::self_collision
