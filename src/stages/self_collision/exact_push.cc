// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_push.h"

#include <algorithm>
#include <utility>

#include <Eigen/Dense>

namespace clipmill::collision {
namespace {

using Numbers = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr Index kPerLimb = 7;  // a shift along three axes, a turn about three, and a swivel
constexpr Index kForward = 2;  // which of them
constexpr int kMostSteps = 12, kMostMendingSteps = 4, kMostShrinks = 6;
constexpr double kProbe = 0.02;  // of the finite differences; shifts are in limb lengths
constexpr double kLongestStep = 0.2, kMostChange = 0.9;
constexpr double kForwardStart = 0.3;
constexpr double kShrink = 0.75;
// Of the length of a touch: the damping, what is aimed at beyond a limit so that steps end, and how
// far gaps are seen.
constexpr double kDamping = 1.5, kMargin = 0.05, kReach = 15.0;

class Push {
 public:
  Push(SkinTrial& trial, std::span<const std::size_t> limbs,
       std::span<const ClearanceLimits> limits, double near_m)
      : trial_(trial), limbs_(limbs), limits_(limits), near_m_(near_m) {
    for (const std::size_t limb : limbs) present_.push_back(trial.changes()[limb]);
  }

  // From a common shift to the front, in limb lengths.
  std::optional<Numbers> solveFrom(double forward);
  std::vector<LimbChange> unitsOf(const Numbers& change) const;
  void restore() { trial_.change(limbs_, present_); }

 private:
  Numbers clearancesAt(const Numbers& change);
  std::optional<Numbers> mended(Numbers change, int most_steps);
  Numbers missingOf(const Numbers& clearances_m, std::vector<bool>& was_violated) const;
  Numbers stepFrom(const Numbers& change, const Numbers& clearances_m, const Numbers& missing_m,
                   const std::vector<bool>& is_active);

  SkinTrial& trial_;
  std::span<const std::size_t> limbs_;
  std::span<const ClearanceLimits> limits_;
  double near_m_;
  std::vector<LimbChange> present_;
};

std::vector<LimbChange> Push::unitsOf(const Numbers& change) const {
  std::vector<LimbChange> units(limbs_.size());
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const Index at = kPerLimb * static_cast<Index>(i);
    units[i].shift = Vec3(change[at], change[at + 1], change[at + 2]);
    units[i].turn = Vec3(change[at + 3], change[at + 4], change[at + 5]);
    units[i].swivel = change[at + 6];
  }
  return units;
}

Numbers Push::clearancesAt(const Numbers& change) {
  std::vector<LimbChange> changes = unitsOf(change);
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i] += present_[i];
  trial_.change(limbs_, changes);
  Numbers clearances_m(static_cast<Index>(limits_.size()));
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    clearances_m[static_cast<Index>(k)] = trial_.clearance_m(limits_[k].pair, kReach * near_m_);
  }
  return clearances_m;
}

// By how much clearances have to grow, or, where negative, to shrink; marks those that do.
Numbers Push::missingOf(const Numbers& clearances_m, std::vector<bool>& was_violated) const {
  const double margin_m = kMargin * near_m_;
  Numbers missing_m = Numbers::Zero(clearances_m.size());
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    const Index row = static_cast<Index>(k);
    if (clearances_m[row] < limits_[k].least_m) {
      missing_m[row] = limits_[k].least_m + margin_m - clearances_m[row];
    } else if (clearances_m[row] > limits_[k].most_m) {
      missing_m[row] = limits_[k].most_m - margin_m - clearances_m[row];
    } else {
      continue;
    }
    was_violated[k] = true;
  }
  return missing_m;
}

Numbers Push::stepFrom(const Numbers& change, const Numbers& clearances_m, const Numbers& missing_m,
                       const std::vector<bool>& is_active) {
  Eigen::MatrixXd slopes(clearances_m.size(), change.size());
  for (Index j = 0; j < change.size(); ++j) {
    Numbers probe = change;
    probe[j] += kProbe;
    slopes.col(j) = (clearancesAt(probe) - clearances_m) / kProbe;
  }
  for (std::size_t k = 0; k < is_active.size(); ++k) {
    if (!is_active[k]) slopes.row(static_cast<Index>(k)).setZero();
  }
  Eigen::MatrixXd squares = slopes * slopes.transpose();
  squares.diagonal().array() += kDamping * near_m_ * kDamping * near_m_;
  Numbers step = slopes.transpose() * squares.ldlt().solve(missing_m);
  const double length = step.norm();
  if (length > kLongestStep) step *= kLongestStep / length;
  return step;
}

std::optional<Numbers> Push::mended(Numbers change, int most_steps) {
  std::vector<bool> was_violated(limits_.size(), false);
  for (int step = 0; step < most_steps; ++step) {
    const Numbers clearances_m = clearancesAt(change);
    const Numbers missing_m = missingOf(clearances_m, was_violated);
    if (missing_m.isZero(0.0)) return change;
    change += stepFrom(change, clearances_m, missing_m, was_violated);
    if (!(change.cwiseAbs().maxCoeff() <= kMostChange)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Numbers> Push::solveFrom(double forward) {
  Numbers start = Numbers::Zero(kPerLimb * static_cast<Index>(limbs_.size()));
  for (Index at = kForward; at < start.size(); at += kPerLimb) start[at] = forward;
  std::optional<Numbers> best = mended(std::move(start), kMostSteps);
  double share = kShrink;
  for (int i = 0; best && i < kMostShrinks; ++i) {
    std::optional<Numbers> smaller = mended(share * *best, kMostMendingSteps);
    if (smaller && smaller->norm() < best->norm()) {
      best = std::move(smaller);
    } else {
      share = 0.5 * (1.0 + share);
    }
  }
  return best;
}

}  // namespace

std::optional<std::vector<LimbChange>> leastPush(SkinTrial& trial,
                                                 std::span<const std::size_t> limbs,
                                                 std::span<const ClearanceLimits> limits,
                                                 double near_m) {
  Push push(trial, limbs, limits, near_m);
  std::optional<Numbers> best;
  for (const double forward : {0.0, kForwardStart}) {
    std::optional<Numbers> found = push.solveFrom(forward);
    if (found && (!best || found->norm() < best->norm())) best = std::move(found);
  }
  push.restore();
  if (!best) return std::nullopt;
  return push.unitsOf(*best);
}

}  // namespace clipmill::collision
