// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scene/self_penetration.h"

namespace clipmill::collision {

/// What was measured at every sample of a clip, for every pair.
class DepthTable {
 public:
  DepthTable(std::size_t sample_count, std::size_t pair_count)
      : pair_count_(pair_count), cells_(sample_count * pair_count) {}

  PairDepth& at(std::size_t sample, std::size_t pair) {
    return cells_[sample * pair_count_ + pair];
  }
  const PairDepth& at(std::size_t sample, std::size_t pair) const {
    return cells_[sample * pair_count_ + pair];
  }
  std::size_t pairCount() const { return pair_count_; }
  std::size_t sampleCount() const { return pair_count_ ? cells_.size() / pair_count_ : 0; }

 private:
  std::size_t pair_count_;
  std::vector<PairDepth> cells_;
};

/// What the clip is before it is changed, and what it may not lose.
struct SourceMeasures {
  DepthTable depths;
  std::vector<std::vector<bool>> touches;  ///< [pair][sample]: deliberate, of arms and hands.
  double tolerance_m = 0.0;
  double near_m = 0.0;  ///< Nearer than so the two parts of a touch are in touch.

  /// Whether one of the pairs touches on purpose.
  bool touchesAt(std::span<const std::size_t> pairs, std::size_t sample) const;
  /// The samples at or within `reach` of which one of them does.
  std::vector<bool> touchesNear(std::span<const std::size_t> pairs, std::size_t reach) const;

  /// How deep a pair may be at a sample where it is freed; less than the tolerance, for what lies
  /// between the samples. Touches stay a little deeper, so that they still are some.
  double depthWanted_m(std::size_t sample, std::size_t pair) const;
  /// How deep it may be where another pair is freed.
  double depthAllowed_m(std::size_t sample, std::size_t pair) const;
  /// How deep any pair may be at most where touches are closed.
  double depthMost_m() const;
};

/// What a stretch of a clip is like.
struct SpanMeasure {
  std::size_t deep = 0;    ///< Samples that are deeper than the tolerance.
  std::size_t inside = 0;  ///< Vertices, of all samples.
  double deepest_m = 0.0;

  bool isBetterThan(const SpanMeasure& before) const {
    return deep <= before.deep && inside <= before.inside && deepest_m <= before.deepest_m &&
           (deep < before.deep || deepest_m < before.deepest_m);
  }
};

/// Of some pairs at some samples.
SpanMeasure measureOf(const DepthTable& depths, std::span<const std::size_t> pairs,
                      std::span<const std::size_t> samples, double tolerance_m);

}  // namespace clipmill::collision
