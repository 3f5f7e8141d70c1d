// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
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

  /// How deep a pair may be at a sample where it is freed; less than the tolerance, for what lies
  /// between the samples. Touches stay a little deeper, so that they still are some.
  double depthWanted_m(std::size_t sample, std::size_t pair) const;
  /// How deep it may be where another pair is freed.
  double depthAllowed_m(std::size_t sample, std::size_t pair) const;
  /// How deep any pair may be at most where touches are closed.
  double depthMost_m() const;
};

}  // namespace clipmill::collision
