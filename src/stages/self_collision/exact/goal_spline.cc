// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_spline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include <Eigen/Dense>

#include "core/to_size.h"
#include "stages/self_collision/exact/uniform_spline.h"

namespace clipmill::stages::self_collision {
namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr int kConstantShare = 6;     // of the samples: a constant change serves so many
constexpr double kGoalJerk = 0.945;   // of the limit: the rest is for other corrections
constexpr double kRestWeight = 0.02;  // of samples that do not count
constexpr double kCurvatureWeight = 1e-3;
constexpr double kRidge = 1e-9;
// Distances of the knots that are tried, and how far layers reach beyond a contact, in these.
constexpr double kKnots_s[] = {0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1.0, 2.0};
constexpr double kReachKnots = 3.0;

class GoalSpline {
 public:
  GoalSpline(const GoalTrack& track, ClipContext& clip) : track_(track), clip_(clip) {}

  std::vector<CorrectionLayer> layers() const;

 private:
  std::vector<bool> samplesNear(double reach_s) const;
  std::vector<bool> freeValues(const UniformSpline& spline, double reach_s) const;
  Matrix controlValues(const UniformSpline& spline, const std::vector<bool>& is_free) const;
  std::vector<CorrectionLayer> fitted(double knot_s) const;
  std::vector<CorrectionLayer> constant() const;
  bool isSmooth(std::span<const CorrectionLayer> layers) const;
  std::array<std::pair<std::size_t, double>, 4> weightsAt(const UniformSpline& spline,
                                                          std::size_t sample) const {
    return spline.weightsAt(clip_.base.step_s() * static_cast<double>(sample));
  }

  const GoalTrack& track_;
  ClipContext& clip_;
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

// One row a control value: least squares of the distances to the track and of second differences.
Matrix GoalSpline::controlValues(const UniformSpline& spline,
                                 const std::vector<bool>& is_free) const {
  const std::size_t count = track_.values.size();
  const auto size = static_cast<Index>(spline.valueCount());
  Matrix squares = Matrix::Zero(size, size), right = Matrix::Zero(size, GoalTrack::kNumberCount);
  for (std::size_t s = 0; s < count; ++s) {
    const double importance = track_.has_goal[s] ? 1.0 : kRestWeight;
    for (const auto& [a, weight] : weightsAt(spline, s)) {
      for (const auto& [b, other] : weightsAt(spline, s)) {
        squares(static_cast<Index>(a), static_cast<Index>(b)) += importance * weight * other;
      }
      if (!track_.has_goal[s]) continue;
      right.row(static_cast<Index>(a)) += weight * track_.values[s].transpose();
    }
  }
  const double curvature =
      kCurvatureWeight * static_cast<double>(count) / static_cast<double>(size);
  const Eigen::RowVector3d bend(1.0, -2.0, 1.0);
  for (Index k = 0; k + 2 < size; ++k) {
    squares.block<3, 3>(k, k) += curvature * bend.transpose() * bend;
  }
  for (Index k = 0; k < size; ++k) {
    squares(k, k) += kRidge;
    if (is_free[toSize(static_cast<int>(k))]) continue;
    squares.row(k).setZero();
    squares.col(k).setZero();
    squares(k, k) = 1.0;
    right.row(k).setZero();
  }
  return squares.ldlt().solve(right);
}

// A spline of which each control value is a layer.
std::vector<CorrectionLayer> GoalSpline::fitted(double knot_s) const {
  const std::size_t count = track_.values.size();
  const UniformSpline spline(clip_.base.step_s() * static_cast<double>(count - 1), knot_s,
                             clip_.is_cycle);
  const std::vector<bool> is_free = freeValues(spline, kReachKnots * knot_s);
  const Matrix values = controlValues(spline, is_free);
  std::vector<CorrectionLayer> layers;
  for (std::size_t knot = 0; knot < spline.valueCount(); ++knot) {
    const GoalTrack::Values value = values.row(static_cast<Index>(knot)).transpose();
    if (!is_free[knot] || !value.allFinite() || value.isZero(0.0)) continue;
    CorrectionLayer layer;
    layer.mode.limbs = {track_.limb};
    layer.mode.units = {GoalTrack::changeOf(value)};
    layer.amounts.assign(count, 0.0);
    for (std::size_t s = 0; s < count; ++s) {
      for (const auto& [at, weight] : weightsAt(spline, s)) {
        if (at == knot) layer.amounts[s] += weight;
      }
    }
    layer.required = layer.amounts;
    layer.is_goal = true;
    layers.push_back(std::move(layer));
  }
  return layers;
}

// One change for the whole clip: the mean of what its samples need.
std::vector<CorrectionLayer> GoalSpline::constant() const {
  GoalTrack::Values sum = GoalTrack::Values::Zero();
  double count = 0.0;
  for (std::size_t s = 0; s < track_.values.size(); ++s) {
    if (!track_.has_goal[s]) continue;
    sum += track_.values[s];
    count += 1.0;
  }
  CorrectionLayer layer;
  layer.mode.limbs = {track_.limb};
  layer.mode.units = {GoalTrack::changeOf(sum / std::max(1.0, count))};
  layer.amounts.assign(track_.values.size(), 1.0);
  layer.required = layer.amounts;
  layer.is_goal = true;
  return {layer};
}

bool GoalSpline::isSmooth(std::span<const CorrectionLayer> layers) const {
  std::vector<CorrectionLayer>& stack = clip_.stack.layers();
  const std::size_t before = stack.size();
  stack.insert(stack.end(), layers.begin(), layers.end());
  const bool is_smooth = clip_.stack.relativeJerkOf(track_.limb) <= kGoalJerk;
  stack.resize(before);
  return is_smooth;
}

// Those that follow the goals most closely within the jerk limit.
std::vector<CorrectionLayer> GoalSpline::layers() const {
  const std::ptrdiff_t count = std::count(track_.has_goal.begin(), track_.has_goal.end(), true);
  if (count == 0) return {};
  for (const double knot_s : kKnots_s) {
    std::vector<CorrectionLayer> layers = fitted(knot_s);
    if (!layers.empty() && isSmooth(layers)) return layers;
  }
  // Frames only have goals.
  if (kConstantShare * count < static_cast<std::ptrdiff_t>(track_.has_goal.size())) return {};
  std::vector<CorrectionLayer> layers = constant();
  return isSmooth(layers) ? layers : std::vector<CorrectionLayer>{};
}

}  // namespace

std::vector<CorrectionLayer> smoothLayersOf(const GoalTrack& track, ClipContext& clip) {
  return GoalSpline(track, clip).layers();
}

}  // namespace clipmill::stages::self_collision
