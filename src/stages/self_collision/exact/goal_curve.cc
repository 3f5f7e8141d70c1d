// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/goal_curve.h"

#include <algorithm>

#include "core/to_size.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr double kKeptOfLimit = 0.97;  // of what a limit leaves
// The numbers of clavicle, shoulder, elbow and hand: first and count.
constexpr std::pair<Eigen::Index, Eigen::Index> kJointsOfGoal[] = {{7, 3}, {0, 3}, {3, 1}, {4, 3}};

CorrectionLayer layerOf(const GoalCurve& curve, const GoalTrack::Values& value) {
  CorrectionLayer layer;
  layer.mode.limbs = {curve.limb};
  layer.mode.units = {GoalTrack::changeOf(value)};
  layer.amounts.assign(curve.weights.size(), 0.0);
  layer.is_goal = true;
  return layer;
}

}  // namespace

GoalTrack::Values GoalCurve::at(std::size_t sample) const {
  GoalTrack::Values value = clavicle;
  for (const auto& [knot, weight] : weights[sample]) {
    value += weight * values.row(static_cast<Eigen::Index>(knot)).transpose();
  }
  return value;
}

bool GoalCurve::isActive(std::size_t sample) const {
  return std::any_of(weights[sample].begin(), weights[sample].end(),
                     [&](const auto& one) { return one.second > 0.0 && is_free[one.first]; });
}

std::vector<CorrectionLayer> layersOf(const GoalCurve& curve) {
  std::vector<CorrectionLayer> layers;
  if (!curve.clavicle.isZero(0.0)) {
    layers.push_back(layerOf(curve, curve.clavicle));
    std::fill(layers.back().amounts.begin(), layers.back().amounts.end(), 1.0);
  }
  for (std::size_t knot = 0; knot < curve.is_free.size(); ++knot) {
    const GoalTrack::Values value = curve.values.row(static_cast<Eigen::Index>(knot)).transpose();
    if (!curve.is_free[knot] || !value.allFinite() || value.isZero(0.0)) continue;
    CorrectionLayer layer = layerOf(curve, value);
    for (std::size_t s = 0; s < curve.weights.size(); ++s) {
      for (const auto& [at, weight] : curve.weights[s]) {
        if (at == knot) layer.amounts[s] += weight;
      }
    }
    layers.push_back(std::move(layer));
  }
  for (CorrectionLayer& layer : layers) layer.required = layer.amounts;
  return layers;
}

bool isSmooth(std::span<const GoalCurve> curves, double share, ClipContext& clip) {
  std::vector<CorrectionLayer>& stack = clip.stack.layers();
  const std::size_t before = stack.size();
  for (const GoalCurve& curve : curves) {
    const std::vector<CorrectionLayer> layers = layersOf(curve);
    stack.insert(stack.end(), layers.begin(), layers.end());
  }
  const bool is_smooth = std::all_of(curves.begin(), curves.end(), [&](const GoalCurve& curve) {
    return clip.stack.relativeJerkOf(curve.limb) <= share;
  });
  stack.resize(before);
  return is_smooth;
}

GoalTrack::Values withinLimits(const GoalTrack::Values& values, std::size_t limb,
                               std::size_t sample, ClipContext& clip) {
  GoalTrack::Values kept = GoalTrack::Values::Zero();
  for (const auto& [first, count] : kJointsOfGoal) {
    GoalTrack::Values own = GoalTrack::Values::Zero();
    own.segment(first, count) = values.segment(first, count);
    const double share = clip.limits.maxAmount(limb, sample, GoalTrack::changeOf(kept),
                                               GoalTrack::changeOf(own), 1.0);
    kept += own * (share < 1.0 ? kKeptOfLimit * share : 1.0);
  }
  return kept;
}

}  // namespace clipmill::stages::self_collision
