// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stages/self_collision/exact_depths.h"
#include "stages/self_collision/exact_layers.h"
#include "stages/self_collision/exact_pairs.h"
#include "stages/self_collision/exact_samples.h"
#include "stages/self_collision/exact_skin.h"

namespace clipmill::collision {

/// What came of closing a touch again.
enum class ClosingOutcome { kClosed, kNoWay, kTooRough, kNotFree };

/// Why a touch stays open, one clause.
const char* textOf(ClosingOutcome outcome);

/// Brings together again what touched on purpose in the clip and was parted by freeing: hands that
/// hold one weapon, folded hands. Wrists are shifted towards each other or towards the body, and
/// away from the trunk as far as that takes.
class TouchCloser {
 public:
  /// `base` is the motion to which the changes of `stack` are applied. All must outlive it.
  TouchCloser(const LimbPoser& poser, const SourceMeasures& source, ClipSamples& base,
              SkinTrial& trial, const LayerStack& stack);

  /// At which samples a touch of the group is lost.
  std::vector<bool> lostTouches(const PairGroup& group);

  /// The shifts that close most of the touches at the samples, at which some are lost, with no part
  /// deeper than allowed and no other touch lost: the best first, of several that close as many the
  /// least. Their amounts are still to be made from what they require. None where none closes any.
  std::vector<Layer> waysToClose(const PairGroup& group, std::span<const std::size_t> samples);

 private:
  // At how many samples a shift closes, and what it takes.
  struct Closing {
    std::size_t closed = 0;
    double cost = 0.0;

    bool isBetterThan(const Closing& other) const {
      return closed != other.closed ? closed > other.closed : cost < other.cost;
    }
  };
  double gap_m(const PairGroup& group, std::size_t sample, double reach_m) const;
  double room_m(const PairGroup& group, const Mode& mode, std::size_t sample) const;
  std::vector<Mode> candidates(const PairGroup& group, std::size_t sample) const;
  std::vector<Vec3> waysTogether(const PairGroup& group, std::size_t sample) const;
  std::vector<Mode> pushesOf(const PairGroup& group, std::size_t sample);
  Closing closingOf(const PairGroup& group, const Mode& mode, std::span<const std::size_t> samples,
                    double guess);
  double lengthOfLimb(std::size_t limb) const;
  double amountAt(const PairGroup& group, const Mode& mode, std::size_t sample, double guess);

  const LimbPoser& poser_;
  const SourceMeasures& source_;
  ClipSamples& base_;
  SkinTrial& trial_;
  const LayerStack& stack_;
};

}  // namespace clipmill::collision
