// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_spline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include <Eigen/Dense>

#include "core/to_size.h"
#include "stages/self_collision/exact/uniform_spline.h"

namespace clipmill::stages::self_collision {
namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

// Of the jerk limit, one after the other; the rest is for the refinement and other corrections.
constexpr double kFittedJerks[] = {0.92, 0.945};
constexpr double kRestWeight = 0.02;  // of samples that do not count
constexpr double kCurvatureWeight = 1e-3;
constexpr double kRidge = 1e-9;
// Distances of the knots that are tried, and how far layers reach beyond a contact, in these.
constexpr double kKnots_s[] = {0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1.0, 2.0};
constexpr double kReachKnots = 3.0;
// Times by which the jerk of the spline is penalized: a change that is as long as 6 times one of
// these is followed by half.
constexpr double kSmooth_s[] = {0.0, 0.08, 0.11, 0.15, 0.2, 0.27};
constexpr int kLimitRounds = 8;  // until a spline keeps the limits

class GoalSpline {
 public:
  GoalSpline(GoalTrack track, ClipContext& clip) : track_(std::move(track)), clip_(clip) {
    if (!track_.values.empty()) clavicle_.tail<3>() = track_.values.front().tail<3>();
    for (GoalTrack::Values& value : track_.values) value.tail<3>().setZero();
  }

  std::optional<GoalCurve> curve(double jerk_share) const;

 private:
  std::vector<bool> samplesNear(double reach_s) const;
  std::vector<bool> freeValues(const UniformSpline& spline, double reach_s) const;
  // A spline and how it is fitted.
  struct Fit {
    UniformSpline spline;
    std::vector<bool> is_free;  // one a control value
    double knot_s = 0.0, smooth_s = 0.0;
  };
  // A curve, and the sum of the squares of what it misses of the track.
  struct Fitted {
    GoalCurve curve;
    double missed = 0.0;
  };

  Matrix thirdDifferences(const UniformSpline& spline) const;
  Matrix smoothnessOf(const Fit& fit) const;
  Matrix controlValues(const Fit& fit, std::span<const GoalTrack::Values> followed) const;
  Matrix valuesWithinLimits(const Fit& fit) const;
  GoalTrack::Values valueAt(const Fit& fit, const Matrix& values, std::size_t sample) const;
  Fitted fitted(double knot_s, double smooth_s) const;
  GoalCurve constant() const;
  std::array<std::pair<std::size_t, double>, 4> weightsAt(const UniformSpline& spline,
                                                          std::size_t sample) const {
    return spline.weightsAt(clip_.base.step_s() * static_cast<double>(sample));
  }

  GoalTrack track_;  // without clavicles
  ClipContext& clip_;
  GoalTrack::Values clavicle_ = GoalTrack::Values::Zero();  // of all samples
};

// The samples within `reach_s` of one with a goal.
std::vector<bool> GoalSpline::samplesNear(double reach_s) const {
  const std::size_t count = track_.has_goal.size();
  const std::size_t reach = toSize(reach_s / clip_.base.step_s());
  const std::size_t period = clip_.is_cycle && count > 1 ? count - 1 : count;
  std::vector<bool> is_near(count, false);
  for (std::size_t s = 0; s < count; ++s) {
    if (!track_.has_goal[s]) continue;
    for (std::size_t k = 0; k <= std::min(reach, period); ++k) {
      if (clip_.is_cycle) {
        is_near[(s + k) % period] = is_near[(s + period - k) % period] = true;
      } else {
        if (s + k < count) is_near[s + k] = true;
        if (s >= k) is_near[s - k] = true;
      }
    }
  }
  if (clip_.is_cycle && count > 1) is_near.back() = is_near.front();
  return is_near;
}

// Control values that count for no sample beyond the reach; the others are 0.
std::vector<bool> GoalSpline::freeValues(const UniformSpline& spline, double reach_s) const {
  const std::vector<bool> is_near = samplesNear(reach_s);
  std::vector<bool> is_free(spline.valueCount(), true);
  for (std::size_t s = 0; s < is_near.size(); ++s) {
    if (is_near[s]) continue;
    for (const auto& [knot, weight] : weightsAt(spline, s)) {
      if (weight > 0.0) is_free[knot] = false;
    }
  }
  return is_free;
}

// The squares of third differences of control values.
Matrix GoalSpline::thirdDifferences(const UniformSpline& spline) const {
  const auto size = static_cast<Index>(spline.valueCount());
  Matrix squares = Matrix::Zero(size, size);
  const double third[] = {-1.0, 3.0, -3.0, 1.0};
  for (Index k = 0; size >= 4 && k < size; ++k) {
    if (!clip_.is_cycle && k + 3 >= size) break;
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) {
        squares((k + i) % size, (k + j) % size) += third[i] * third[j];
      }
    }
  }
  return squares;
}

// What squares of control values cost: second differences, and the jerk.
Matrix GoalSpline::smoothnessOf(const Fit& fit) const {
  const auto size = static_cast<Index>(fit.spline.valueCount());
  Matrix squares = Matrix::Zero(size, size);
  const double curvature =
      kCurvatureWeight * static_cast<double>(track_.values.size()) / static_cast<double>(size);
  const Eigen::RowVector3d bend(1.0, -2.0, 1.0);
  for (Index k = 0; k + 2 < size; ++k) {
    squares.block<3, 3>(k, k) += curvature * bend.transpose() * bend;
  }
  // The integral of the squared third derivative, per sample.
  const double ratio = fit.smooth_s / fit.knot_s, cube = ratio * ratio * ratio;
  squares += cube * cube * fit.knot_s / clip_.base.step_s() * thirdDifferences(fit.spline);
  return squares;
}

// One row a control value: least squares of the distances to what is followed, and smoothness.
Matrix GoalSpline::controlValues(const Fit& fit,
                                 std::span<const GoalTrack::Values> followed) const {
  const std::size_t count = track_.values.size();
  Matrix squares = smoothnessOf(fit);
  const Index size = squares.rows();
  Matrix right = Matrix::Zero(size, GoalTrack::kNumberCount);
  for (std::size_t s = 0; s < count; ++s) {
    const double importance = track_.has_goal[s] ? 1.0 : kRestWeight;
    for (const auto& [a, weight] : weightsAt(fit.spline, s)) {
      for (const auto& [b, other] : weightsAt(fit.spline, s)) {
        squares(static_cast<Index>(a), static_cast<Index>(b)) += importance * weight * other;
      }
      if (!track_.has_goal[s]) continue;
      right.row(static_cast<Index>(a)) += weight * followed[s].transpose();
    }
  }
  for (Index k = 0; k < size; ++k) {
    squares(k, k) += kRidge;
    if (fit.is_free[toSize(static_cast<int>(k))]) continue;
    squares.row(k).setZero();
    squares.col(k).setZero();
    squares(k, k) = 1.0;
    right.row(k).setZero();
  }
  return squares.ldlt().solve(right);
}

GoalTrack::Values GoalSpline::valueAt(const Fit& fit, const Matrix& values,
                                      std::size_t sample) const {
  GoalTrack::Values value = GoalTrack::Values::Zero();
  for (const auto& [knot, weight] : weightsAt(fit.spline, sample)) {
    value += weight * values.row(static_cast<Index>(knot)).transpose();
  }
  return value;
}

// Where the spline exceeds a limit, what it follows is lowered by as much, until it does not.
Matrix GoalSpline::valuesWithinLimits(const Fit& fit) const {
  std::vector<GoalTrack::Values> followed = track_.values;
  Matrix values = controlValues(fit, followed);
  for (int round = 0; round < kLimitRounds && values.allFinite(); ++round) {
    bool is_within = true;
    for (std::size_t s = 0; s < followed.size(); ++s) {
      const GoalTrack::Values value = valueAt(fit, values, s) + clavicle_;
      const GoalTrack::Values kept = withinLimits(value, track_.limb, s, clip_);
      if (kept == value) continue;
      is_within = false;
      // Frames only have goals.
      followed[s / 2 * 2].head<GoalTrack::kClavicleNumber>() +=
          (kept - value).head<GoalTrack::kClavicleNumber>();
    }
    if (is_within) break;
    values = controlValues(fit, followed);
  }
  return values;
}

GoalSpline::Fitted GoalSpline::fitted(double knot_s, double smooth_s) const {
  const std::size_t count = track_.values.size();
  const UniformSpline spline(clip_.base.step_s() * static_cast<double>(count - 1), knot_s,
                             clip_.is_cycle);
  const Fit fit{spline, freeValues(spline, kReachKnots * std::max(knot_s, smooth_s)), knot_s,
                smooth_s};
  Fitted found;
  GoalCurve& curve = found.curve;
  curve.limb = track_.limb;
  curve.clavicle = clavicle_;
  curve.is_free = fit.is_free;
  curve.values = valuesWithinLimits(fit);
  curve.smoothness = thirdDifferences(spline);
  for (std::size_t s = 0; s < count; ++s) curve.weights.push_back(weightsAt(spline, s));
  for (std::size_t s = 0; s < count; ++s) {
    if (!track_.has_goal[s]) continue;
    found.missed += (valueAt(fit, curve.values, s) - track_.values[s]).squaredNorm();
  }
  return found;
}

// One change for the whole clip: the mean of what its samples need.
GoalCurve GoalSpline::constant() const {
  GoalTrack::Values sum = GoalTrack::Values::Zero();
  double count = 0.0;
  for (std::size_t s = 0; s < track_.values.size(); ++s) {
    if (!track_.has_goal[s]) continue;
    sum += track_.values[s];
    count += 1.0;
  }
  GoalCurve curve;
  curve.limb = track_.limb;
  curve.clavicle = clavicle_;
  curve.is_free = {true};
  curve.values = (sum / std::max(1.0, count)).transpose();
  curve.smoothness = Matrix::Zero(1, 1);
  curve.weights.assign(track_.values.size(), {{{0, 1.0}, {0, 0.0}, {0, 0.0}, {0, 0.0}}});
  return curve;
}

// The one that follows the goals most closely within a share of the jerk limit.
std::optional<GoalCurve> GoalSpline::curve(double jerk_share) const {
  if (std::count(track_.has_goal.begin(), track_.has_goal.end(), true) == 0) return std::nullopt;
  std::optional<Fitted> best;
  for (const double knot_s : kKnots_s) {
    for (const double smooth_s : kSmooth_s) {
      Fitted now = fitted(knot_s, smooth_s);
      if (!now.curve.values.allFinite()) continue;
      if (!isSmooth({&now.curve, 1}, jerk_share, clip_)) continue;
      if (!best || now.missed < best->missed) best = std::move(now);
      break;
    }
  }
  if (best) return std::move(best->curve);
  if (!track_.isConstantOfUse()) return std::nullopt;
  GoalCurve curve = constant();
  return isSmooth({&curve, 1}, jerk_share, clip_) ? std::optional(std::move(curve)) : std::nullopt;
}

}  // namespace

std::optional<GoalCurve> smoothCurveOf(const GoalTrack& track, ClipContext& clip) {
  const GoalSpline spline(track, clip);
  for (const double share : kFittedJerks) {
    if (std::optional<GoalCurve> curve = spline.curve(share)) return curve;
  }
  return std::nullopt;
}

}  // namespace clipmill::stages::self_collision
