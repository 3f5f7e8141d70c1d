// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"

namespace clipmill::stages::dynamic_bones {

/// The lengths of a forest of bones, solved all together, so that bones pull on each other. Every
/// bone has one point, its end; its head is the end of its parent bone, or a given position.
///
/// Constraints and how they are met: |x_i - x_p|^2 = L_i^2, each pulling its two points along the
/// bone as it was before the step (SHAKE, Ryckaert et al. 1977), which is of second order and keeps
/// momentum and energy. All multipliers come from Newton's method on J M^-1 J_old^T. Its matrix is
/// eliminated from the tips to the roots, point by point and bone by bone, so that forks of any
/// number of bones are exact and the cost is O(n) (cf. Deul et al. 2018).
///
/// A bone of length 0 is a weld: both points move as one, with the masses of both. A bone of
/// negative length has no constraint: its end is independent of its head. A tree that cannot be
/// solved does not affect the others.
class RopeSolver {
 public:
  /// `parents`: index of the bone at whose end each bone starts, smaller than its own, or -1 where
  /// its head is given. `inverse_masses`: of the points, 1/kg; 0 for a fixed point.
  RopeSolver(std::span<const int> parents, std::span<const double> inverse_masses);

  /// Moves `ends` until every bone has its length, to 1e-14 of it or to the rounding of the
  /// coordinates. One entry a bone: `heads[i]` counts only where parents[i] is -1; `old_bones[i]`
  /// is end minus head before the step. Metres.
  ///
  /// A bone that rotated by more than 90 degrees in the step pulls along its new direction.
  ///
  /// Returns the largest number of Newton steps that a tree took, 0 if all lengths were met. If
  /// Newton's method fails, the step is divided into parts. If that fails because the old bones
  /// allow no solution, all bones of the tree pull along their current directions, with all masses.
  /// If that fails too, or a number is not finite, the lengths of that tree are restored bone by
  /// bone from its roots, without masses: along the old direction if the new one is zero or not
  /// finite, with 0 for a length that is not finite. The returned number is then negative.
  int solve(std::span<const Vec3> heads, std::span<const Vec3> old_bones,
            std::span<const double> lengths_m, std::span<Vec3> ends);

 private:
  enum class Hold { kLength, kWeld, kFree };

  // A bone and the point at its end.
  struct Link {
    std::size_t bone = 0;  // the caller's index
    int parent = -1;       // index in links_
    double inverse_mass = 1.0;
    Hold hold = Hold::kLength;
    double length_square = 0.0;
    Vec3 point, head, gradient, span;  // span: point minus head, as it is now
    // A force displaces the point by response * force - lag. The response is inverse_mass if no
    // bone hangs on it, inverse_mass - column row^T with one, and the matrix with more.
    int hanging = 0;
    Vec3 column, row;
    Mat3 response;
    Vec3 lag, pull;
    double wanted = 0.0;  // by how much span * (displacement - the head's) has to grow
    Vec3 point_part;      // what is added before each part of a step
    double square_factor = 1.0;
    bool is_followed = false;  // the gradient is the bone as it is before each part
  };
  // Trees follow each other in links_, parents first.
  struct Tree {
    std::size_t start = 0, end = 0;
  };
  // What a step's arguments are, in the caller's order.
  struct Step {
    std::span<const Vec3> heads, old_bones;
    std::span<const double> lengths_m;
    std::span<Vec3> ends;
  };

  int solveTree(const Tree& tree, const Step& step);
  void setUp(const Tree& tree, const Step& step);
  void clearParts(const Tree& tree);
  void spreadPoints(const Tree& tree, const Step& step);
  void spreadLengths(const Tree& tree);
  int iterate(const Tree& tree);
  int iterateInParts(const Tree& tree);
  bool measure(const Tree& tree);
  bool condense(const Tree& tree);
  static bool hang(Link& link, Link* above);
  static bool weld(const Link& link, Link& above);
  static Vec3 displacementBy(const Link& link, const Vec3& force) {
    if (link.hanging > 1) return link.response * force;
    const Vec3 displacement = force * link.inverse_mass;
    return link.hanging == 0 ? displacement
                             : displacement - link.column * glm::dot(link.row, force);
  }
  static Mat3 responseOf(const Link& link);
  void move(const Tree& tree);
  bool isFlipped(const Tree& tree) const;
  void restoreFromRoots(const Tree& tree, const Step& step);

  std::vector<Link> links_;
  std::vector<Tree> trees_;
};

}  // namespace clipmill::stages::dynamic_bones
