// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "scene/scene.h"

namespace clipmill::retarget {

/// Finds the weights of expressions behind morph weights: sum over expressions of weight * bind is
/// as near to the morph weights as weights from 0 to 1 allow (least squares, by coordinate
/// descent). Where several solutions are as good, it stays near that of the call before, and starts
/// with the expressions that move most.
class ExpressionSolver {
 public:
  explicit ExpressionSolver(const Scene& scene);

  /// One weight for each of Scene::face.expressions; 0 for those without binds.
  const std::vector<double>& solve(std::span<const double> morph_weights);
  /// The largest part of a morph weight that the last solution leaves.
  double residual() const { return residual_; }

 private:
  struct Entry {
    std::size_t row;
    double weight;
  };

  std::vector<std::vector<Entry>> columns_;  // of expressions: their binds, by morph
  std::vector<double> squares_;              // of their lengths
  std::vector<std::size_t> order_;           // those with binds, longest first
  std::vector<double> weights_;
  std::vector<double> rest_;  // what is left of each morph weight
  double residual_ = 0.0;
};

/// The morph weights that expressions give, with overrides and binary expressions as VRM 1.0
/// defines them (players read VRM 0.x alike). Of each node with a bind of an expression in
/// `is_played`, the bound morphs are set; others are left alone.
void applyExpressions(const Scene& scene, std::span<const double> weights,
                      const std::vector<bool>& is_played, std::span<double> morph_weights);

}  // namespace clipmill::retarget
