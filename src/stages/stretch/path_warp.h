// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "locomotion/ground.h"

/// The stage `stretch`: paths warped to another end. Points are metres, y up.
namespace clipmill::stages::stretch {

/// The published method (docs/methods.md, stretch), frame by frame: M(i) = (D - P(N)) |P(i) -
/// P(i-1)| / S, Q(i) = Q(i-1) + P(i) - P(i-1) + M(i); the last point is D itself. With 2
/// `dimensions` lengths are taken along the ground and heights stay. A path of no length does not
/// change.
std::vector<Vec3> warpReference(std::span<const Vec3> points_m, const Vec3& target_m,
                                int dimensions);

/// How much of a change has been made at each point of a path: ascending from exactly 0 to exactly
/// 1. One number a point.
using Shares = std::vector<double>;

/// Shares in proportion to the length of the path along the ground. `weights`, one a step or none
/// at all, scale the steps first. A path of no length has shares of 0 up to its last point.
Shares arcShares(std::span<const Vec3> points_m, std::span<const double> weights = {});
/// Shares in proportion to time.
Shares timeShares(std::span<const double> times_s, std::span<const double> weights = {});
/// 10 s^3 - 15 s^4 + 6 s^5 of the part s of the time: no velocity and no acceleration at the ends.
Shares minimumJerkShares(std::span<const double> times_s);

/// Weights of the steps between `times_s`: 1, but for smooth ramps from 0 over `start_s` at the
/// start and to 0 over `end_s` at the end, each at most half of the time.
std::vector<double> easeWeights(std::span<const double> times_s, double start_s, double end_s);

/// A rotation about the vertical and a scale along the ground.
struct GroundSimilarity {
  double along = 1.0;   ///< Cosine of the rotation times the scale.
  double across = 0.0;  ///< Sine likewise.

  Vec3 apply(const Vec3& v) const;  ///< The height of the result is 0.
};

/// The similarity that takes the horizontal direction and length of `from` to those of `to`; the
/// identity where `from` has no length. Mixed with the identity: 0 for the identity alone, 1 for
/// none of it.
GroundSimilarity similarityBetween(const Vec3& from, const Vec3& to, double part);

/// Q = P + (A - 1)(P - P0) + c (D - P(N) - (A - 1)(P(N) - P0)) for a similarity A and a share c.
/// Where nothing is to change, Q is P bit for bit.
class PathWarp {
 public:
  PathWarp(const Vec3& start_m, const Vec3& end_m, const Vec3& target_m,
           const GroundSimilarity& similarity);
  Vec3 at(const Vec3& point_m, double share) const;

 private:
  Vec3 start_m_;
  GroundSimilarity excess_;  // A - 1
  Vec3 residual_m_;          // the part of the change that the shares add
};

/// Fraction of the change to a path that a similarity makes: 1 where the end is farther from the
/// start than 0.3 of the length and the path leaves its chord by more than 0.02 of it, else 0. A
/// similarity amplifies the steps of such paths more evenly; of others, such as paths that return,
/// it amplifies some steps strongly.
double chosenSimilarity(std::span<const Vec3> points_m);

/// Steps of `after_m` that run against those of `before_m` on the ground. Steps shorter than a
/// thousandth of the longest do not count. `rotations_rad`, one a point or none, rotate `before_m`.
std::size_t reversedSteps(std::span<const Vec3> before_m, std::span<const Vec3> after_m,
                          std::span<const double> rotations_rad = {});

}  // namespace clipmill::stages::stretch
