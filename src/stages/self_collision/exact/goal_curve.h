// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/goal_track.h"

namespace clipmill::stages::self_collision {

/// The change of one arm over a clip: at each sample a mean of control values, and one rotation of
/// the clavicle.
struct GoalCurve {
  std::size_t limb = 0;
  /// Of each sample: control values that count, and their weights.
  std::vector<std::array<std::pair<std::size_t, double>, 4>> weights;
  std::vector<bool> is_free;   ///< One a control value; the others are 0.
  Eigen::MatrixXd values;      ///< One row a control value, without clavicles.
  Eigen::MatrixXd smoothness;  ///< The squares of third differences of control values.
  GoalTrack::Values clavicle = GoalTrack::Values::Zero();

  GoalTrack::Values at(std::size_t sample) const;
  /// Whether a free control value counts at the sample.
  bool isActive(std::size_t sample) const;
  bool operator==(const GoalCurve& other) const {
    return limb == other.limb && values == other.values && clavicle == other.clavicle;
  }
};

/// Layers, one for each control value and one for the clavicle, whose sum is the curve.
std::vector<CorrectionLayer> layersOf(const GoalCurve& curve);

/// Whether the curves use at most a share of the jerk limit of their arms.
bool isSmooth(std::span<const GoalCurve> curves, double share, ClipContext& clip);

/// The largest part of a change of an arm that keeps the limits of the pose at a sample: of each
/// joint by itself, so that one at its limit does not keep the others from moving.
GoalTrack::Values withinLimits(const GoalTrack::Values& values, std::size_t limb,
                               std::size_t sample, ClipContext& clip);

}  // namespace clipmill::stages::self_collision
