// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math.h"
#include "scene/ground.h"

/// The stage `stretch`: paths that are made to end elsewhere. Points are metres, y up.
namespace clipmill::stretch {

/// The published method (SOURCES S1), frame by frame: M(i) = (D - P(N)) |P(i) - P(i-1)| / S, Q(i) =
/// Q(i-1) + P(i) - P(i-1) + M(i); the last point is D itself. With 2 `dimensions` lengths are taken
/// along the ground and heights stay. A path of no length comes back as it is.
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

/// Weights of the steps between `times_s`: 1, but for smooth ramps from 0 over `begin_s` at the
/// begin and to 0 over `end_s` at the end, each at most half of the time.
std::vector<double> easeWeights(std::span<const double> times_s, double begin_s, double end_s);

/// Turns about the vertical and scales along the ground.
struct GroundSimilarity {
  double along = 1.0;   ///< Cosine of the turn times the scale.
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
  Vec3 residual_m_;          // what the similarity leaves to the shares
};

/// Which part of the change to a curved path a similarity should make: 1 where the path gets ahead
/// by more than 0.3 of its length and leaves its chord by more than 0.02 of it, else 0. A
/// similarity bends such paths more evenly; on others it blows up steps, as where a path returns.
double chosenSimilarity(std::span<const Vec3> points_m);

/// Steps of `after_m` that run against those of `before_m` on the ground. Steps shorter than a
/// thousandth of the longest do not count. `turns_rad`, one a point or none, turn `before_m`.
std::size_t reversedSteps(std::span<const Vec3> before_m, std::span<const Vec3> after_m,
                          std::span<const double> turns_rad = {});

}  // namespace clipmill::stretch
