// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/path_warp.h"

#include <algorithm>
#include <cmath>

#include "core/cancel.h"
#include "core/math.h"
#include "core/smooth_step.h"

namespace clipmill::stages::stretch {
namespace {

// Prefix sums of `steps` over their sum; the last is 1 whatever rounding did.
Shares sharesOf(std::span<const double> steps) {
  Shares shares(steps.size() + 1, 0.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) shares[i + 1] = sum += steps[i];
  for (double& share : shares) share = sum > 0.0 ? std::min(share / sum, 1.0) : 0.0;
  shares.back() = 1.0;
  return shares;
}

double weightOf(std::span<const double> weights, std::size_t step) {
  return weights.empty() ? 1.0 : weights[step];
}

}  // namespace

std::vector<Vec3> warpReference(std::span<const Vec3> points_m, const Vec3& target_m,
                                int dimensions) {
  std::vector<Vec3> warped(points_m.begin(), points_m.end());
  const auto stepLength = [&](std::size_t i) {
    const Vec3 step = points_m[i] - points_m[i - 1];
    return dimensions == 2 ? locomotion::horizontalLength(step) : lengthOf(step);
  };
  double length_m = 0.0;
  for (std::size_t i = 1; i < points_m.size(); ++i) length_m += stepLength(i);
  if (!(length_m > 0.0)) return warped;
  Vec3 missing_m = target_m - points_m.back();
  if (dimensions == 2) missing_m.y = 0.0;
  for (std::size_t i = 1; i < points_m.size(); ++i) {
    const Vec3 velocity = points_m[i] - points_m[i - 1] + missing_m * (stepLength(i) / length_m);
    warped[i] = warped[i - 1] + velocity;
    for (int axis = 0; axis < 3; ++axis) {
      if (missing_m[axis] == 0.0) warped[i][axis] = points_m[i][axis];
    }
  }
  warped.back() = dimensions == 2 ? Vec3(target_m.x, points_m.back().y, target_m.z) : target_m;
  return warped;
}

Shares arcShares(std::span<const Vec3> points_m, std::span<const double> weights) {
  pollCancel();
  std::vector<double> steps(points_m.size() - 1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] = weightOf(weights, i) * locomotion::horizontalLength(points_m[i + 1] - points_m[i]);
  }
  return sharesOf(steps);
}

Shares timeShares(std::span<const double> times_s, std::span<const double> weights) {
  std::vector<double> steps(times_s.size() - 1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] = weightOf(weights, i) * (times_s[i + 1] - times_s[i]);
  }
  return sharesOf(steps);
}

Shares minimumJerkShares(std::span<const double> times_s) {
  Shares shares(times_s.size());
  const double start_s = times_s.front(), length_s = times_s.back() - start_s;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double s = length_s > 0.0 ? (times_s[i] - start_s) / length_s : 0.0;
    shares[i] = s * s * s * (10.0 + s * (6.0 * s - 15.0));
  }
  shares.back() = 1.0;
  return shares;
}

std::vector<double> easeWeights(std::span<const double> times_s, double start_s, double end_s) {
  const double half_s = 0.5 * (times_s.back() - times_s.front());
  start_s = std::min(start_s, half_s);
  end_s = std::min(end_s, half_s);
  std::vector<double> weights(times_s.size() - 1, 1.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double middle_s = 0.5 * (times_s[i] + times_s[i + 1]);
    if (start_s > 0.0) weights[i] *= smoothStep((middle_s - times_s.front()) / start_s);
    if (end_s > 0.0) weights[i] *= smoothStep((times_s.back() - middle_s) / end_s);
  }
  return weights;
}

Vec3 GroundSimilarity::apply(const Vec3& v) const {
  return {along * v.x + across * v.z, 0.0, along * v.z - across * v.x};
}

GroundSimilarity similarityBetween(const Vec3& from, const Vec3& to, double part) {
  const double square = from.x * from.x + from.z * from.z;
  if (!(square > 0.0)) return {};
  const double along = (from.x * to.x + from.z * to.z) / square;
  const double across = (from.z * to.x - from.x * to.z) / square;
  return {1.0 + part * (along - 1.0), part * across};
}

PathWarp::PathWarp(const Vec3& start_m, const Vec3& end_m, const Vec3& target_m,
                   const GroundSimilarity& similarity)
    : start_m_(start_m), excess_{similarity.along - 1.0, similarity.across} {
  residual_m_ = target_m - end_m - excess_.apply(end_m - start_m);
}

Vec3 PathWarp::at(const Vec3& point_m, double share) const {
  return point_m + excess_.apply(point_m - start_m_) + residual_m_ * share;
}

double chosenSimilarity(std::span<const Vec3> points_m) {
  constexpr double kAhead = 0.3, kCurved = 0.02;
  const Vec3 chord = points_m.back() - points_m.front();
  const double net_m = locomotion::horizontalLength(chord);
  double length_m = 0.0, farthest_m2 = 0.0;
  for (std::size_t i = 1; i < points_m.size(); ++i) {
    length_m += locomotion::horizontalLength(points_m[i] - points_m[i - 1]);
    const Vec3 from_start = points_m[i] - points_m.front();
    farthest_m2 = std::max(farthest_m2, std::abs(from_start.x * chord.z - from_start.z * chord.x));
  }
  const bool gets_ahead = net_m > kAhead * length_m;
  return gets_ahead && farthest_m2 > kCurved * net_m * net_m ? 1.0 : 0.0;
}

std::size_t reversedSteps(std::span<const Vec3> before_m, std::span<const Vec3> after_m,
                          std::span<const double> rotations_rad) {
  constexpr double kTiny = 1e-3;
  double max_step_m = 0.0;
  for (std::size_t i = 1; i < before_m.size(); ++i) {
    max_step_m = std::max(max_step_m, locomotion::horizontalLength(before_m[i] - before_m[i - 1]));
  }
  std::size_t count = 0;
  for (std::size_t i = 1; i < before_m.size(); ++i) {
    const Vec3 was = locomotion::rotated(before_m[i] - before_m[i - 1],
                                         rotations_rad.empty() ? 0.0 : rotations_rad[i]);
    const Vec3 is = after_m[i] - after_m[i - 1];
    if (locomotion::horizontalLength(was) <= kTiny * max_step_m) continue;
    if (was.x * is.x + was.z * is.z < 0.0) ++count;
  }
  return count;
}

}  // namespace clipmill::stages::stretch
