// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"

namespace clipmill::bones {

/// The lengths of a forest of bones, solved all together, so that bones pull on each other. Every
/// bone has one point, its end; its head is the end of its parent bone, or a given place.
class RopeSolver {
 public:
  /// `parents`: index of the bone at whose end each bone begins, smaller than its own, or -1 where
  /// its head is given. `inverse_masses`: of the points, above 0, 1/kg.
  RopeSolver(std::span<const int> parents, std::span<const double> inverse_masses);

  /// Moves `ends` along the old bones until every bone has its length: Newton on |x_i - x_p|^2 =
  /// L_i^2 with the tree's matrix J M^-1 J_old^T, solved in O(n) from the leaves (after Deul et al.
  /// 2018). `heads[i]` counts only where parents[i] is -1. `old_bones[i]`: end minus head before
  /// the step. Returns the Newton steps taken; where they do not converge, lengths are restored
  /// from the roots on, and the number is negative. Metres.
  int solve(std::span<const Vec3> heads, std::span<const Vec3> old_bones,
            std::span<const double> lengths_m, std::span<Vec3> ends);

 private:
  std::vector<int> parents_;
  std::vector<double> inverse_masses_;
  std::vector<double> diagonal_, right_, multipliers_;
};

}  // namespace clipmill::bones
