// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_depths.h"

#include <algorithm>

namespace clipmill::collision {
namespace {

// Shares of the tolerance.
constexpr double kFreeDepth = 0.25, kTouchDepth = 0.5, kBystanderDepth = 0.5, kClosedDepth = 0.7;

}  // namespace

double SourceMeasures::depthWanted_m(std::size_t sample, std::size_t pair) const {
  return tolerance_m * (touches[pair][sample] ? kTouchDepth : kFreeDepth);
}

double SourceMeasures::depthAllowed_m(std::size_t sample, std::size_t pair) const {
  return std::max(kBystanderDepth * tolerance_m, depths.at(sample, pair).depth_m);
}

double SourceMeasures::depthMost_m() const { return tolerance_m * kClosedDepth; }

}  // namespace clipmill::collision
