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

bool SourceMeasures::touchesAt(std::span<const std::size_t> pairs, std::size_t sample) const {
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](std::size_t pair) { return touches[pair][sample]; });
}

std::vector<bool> SourceMeasures::touchesNear(std::span<const std::size_t> pairs,
                                              std::size_t reach) const {
  std::vector<bool> is_near(depths.sampleCount(), false);
  for (std::size_t sample = 0; sample < is_near.size(); ++sample) {
    if (!touchesAt(pairs, sample)) continue;
    const std::size_t first = sample - std::min(sample, reach),
                      end = std::min(is_near.size(), sample + reach + 1);
    for (std::size_t s = first; s < end; ++s) is_near[s] = true;
  }
  return is_near;
}

double SourceMeasures::depthMost_m() const { return tolerance_m * kClosedDepth; }

SpanMeasure measureOf(const DepthTable& depths, std::span<const std::size_t> pairs,
                      std::span<const std::size_t> samples, double tolerance_m) {
  SpanMeasure measure;
  for (const std::size_t sample : samples) {
    bool is_deep = false;
    for (const std::size_t pair : pairs) {
      const PairDepth& depth = depths.at(sample, pair);
      is_deep = is_deep || depth.depth_m > tolerance_m;
      measure.inside += depth.inside_count;
      measure.deepest_m = std::max(measure.deepest_m, depth.depth_m);
    }
    measure.deep += is_deep ? 1 : 0;
  }
  return measure;
}

}  // namespace clipmill::collision
