// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/goal_curve.h"
#include "stages/self_collision/exact/goal_problem.h"

namespace clipmill::stages::self_collision {

/// Sets the values of all tracks to those of their curves, or to 0.
void setTracks(std::span<const GoalCurve> curves, GoalProblem& problem);

/// Improves the curves of all arms together by what the poses of all frames miss. Curves that were
/// fitted to poses are off them where the jerk limit asks for it, in numbers that may cost much or
/// nothing; here the errors of contacts and the clearance count themselves. Damped least squares
/// (Levenberg 1944, Marquardt 1963) over the control values; a step is kept only if it lowers the
/// cost and the curves keep the limits of jerk and pose.
class GoalRefinement {
 public:
  /// All must outlive it.
  GoalRefinement(ClipContext& clip, GoalProblem& problem, std::vector<GoalCurve>& curves);

  /// The curves as they are, with clearance at its usual weight and, while an arm penetrates, with
  /// larger ones: the penalty method (Nocedal and Wright, Numerical Optimization, 2006, 17.1). Less
  /// and less penetrates, and contacts are farther away.
  std::vector<std::vector<GoalCurve>> refined();
  /// Whether no arm penetrates with the last of them, at frames.
  bool isFree() const { return is_free_; }
  /// Whether no upper arm penetrates the head with the last of them, at frames.
  bool isFreeOfHead();

 private:
  // The squares and the right side of the least-squares problem, without smoothness.
  struct Equations {
    Eigen::MatrixXd squares;
    Eigen::VectorXd right;
  };

  struct StepShape {
    double smoothing = 0.0;  // of the curves or of the step
    double damping = 0.0;
    bool smooths_curve = true;  // else the step alone
  };

  Eigen::Index numberOf(std::size_t curve) const;
  Eigen::Index countOf(std::size_t curve) const;
  bool movesClavicle(std::size_t curve) const;
  std::vector<std::pair<Eigen::Index, double>> unknownsOf(std::size_t curve, Eigen::Index number,
                                                          std::size_t sample) const;
  std::size_t trackOf(std::size_t curve) const;
  void setMoves(std::size_t sample);
  double costOfUse(double use) const;
  double costAt(std::size_t sample);
  double cost(double enough);
  double largestUse();
  Equations equations();
  void addSample(std::size_t sample, Equations& equations);
  void addLimits(std::size_t sample, Eigen::MatrixXd& squares, Eigen::VectorXd& right);
  Eigen::VectorXd stepOf(const Equations& equations, const StepShape& shape) const;
  bool improve(double damping, double& least);
  void descend();
  bool isAnyWithin();
  void add(const Eigen::VectorXd& step);

  ClipContext& clip_;
  GoalProblem& problem_;
  std::vector<GoalCurve>& curves_;
  std::vector<std::size_t> samples_;             // frames at which a curve is active
  std::vector<std::vector<bool>> was_violated_;  // [sample][pair]
  std::vector<Eigen::Index> first_;              // unknown of each curve; then their number
  bool is_free_ = false;
  double max_use_ = 1.0;  // of the limits of the pose
  double limit_weight_ = 1.0;
};

}  // namespace clipmill::stages::self_collision
