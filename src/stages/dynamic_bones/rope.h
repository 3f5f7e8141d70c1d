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
///
/// Constraints and how they are met: |x_i - x_p|^2 = L_i^2, each pulling its two points along the
/// bone as it was before the step (SHAKE, Ryckaert et al. 1977), which is of second order and keeps
/// momentum and energy. All multipliers come from Newton's method on J M^-1 J_old^T. Its matrix is
/// eliminated from the tips to the roots, point by point and bone by bone, so that forks of any
/// number of bones are exact and the cost is O(n) (cf. Deul et al. 2018).
///
/// A bone of length 0 is a weld: both points move as one, with the masses of both. A bone of
/// negative length holds nothing: its end is free of its head. A tree that cannot be solved does
/// not touch the others.
class RopeSolver {
 public:
  /// `parents`: index of the bone at whose end each bone begins, smaller than its own, or -1 where
  /// its head is given. `inverse_masses`: of the points, 1/kg; 0 for a point that nothing moves.
  RopeSolver(std::span<const int> parents, std::span<const double> inverse_masses);

  /// Moves `ends` until every bone has its length, to 1e-14 of it or to what numbers of the size of
  /// the coordinates can tell. One entry a bone: `heads[i]` counts only where parents[i] is -1;
  /// `old_bones[i]` is end minus head before the step. Metres.
  ///
  /// Returns the largest number of Newton steps that a tree took, 0 where nothing was to do. Where
  /// the old bones allow no solution (a bone that turned by about a right angle in the step), the
  /// new ones give the directions, still with all masses. Where that fails too or a number is not
  /// finite, the lengths of that tree are restored from its roots on, bone by bone, whatever the
  /// masses, and the number returned is negative. Such a tree keeps its old directions where the
  /// new ones are not finite or zero; lengths that are not finite count as 0.
  int solve(std::span<const Vec3> heads, std::span<const Vec3> old_bones,
            std::span<const double> lengths_m, std::span<Vec3> ends);

 private:
  enum class Hold { kLength, kWeld, kFree };

  // A bone and the point at its end. Points answer forces by response * force - lag.
  struct Link {
    std::size_t bone = 0;  // the caller's index
    int parent = -1;       // index in links_
    double inverse_mass = 1.0;
    Hold hold = Hold::kLength;
    double length_square = 0.0;
    Vec3 point, head, gradient, span;  // span: point minus head, as it is now
    Mat3 response;
    Vec3 lag, pull;
    double wanted = 0.0;  // by how much span * gradient has to grow
  };
  // Trees stand one after the other in links_, parents first.
  struct Tree {
    std::size_t begin = 0, end = 0;
  };
  // What a step's arguments are, in the caller's order.
  struct Step {
    std::span<const Vec3> heads, old_bones;
    std::span<const double> lengths_m;
    std::span<Vec3> ends;
  };

  int solveTree(const Tree& tree, const Step& step);
  void place(const Tree& tree, const Step& step, bool along_old);
  int iterate(const Tree& tree);
  bool measure(const Tree& tree);
  bool condense(const Tree& tree);
  void move(const Tree& tree);
  bool isTurnedRound(const Tree& tree) const;
  void restoreFromRoots(const Tree& tree, const Step& step);

  std::vector<Link> links_;
  std::vector<Tree> trees_;
};

}  // namespace clipmill::bones
