// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
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

  /// The shift that closes most of the touches at the samples, at which some are lost, with no part
  /// deeper than allowed and no other touch lost; of several the least. Its amounts are still to be
  /// made from what it requires. None where none closes any.
  std::optional<Layer> close(const PairGroup& group, std::span<const std::size_t> samples);

 private:
  double gap_m(const PairGroup& group, std::size_t sample, double reach_m) const;
  double room_m(const PairGroup& group, const Mode& mode, std::size_t sample) const;
  std::vector<Mode> candidates(const PairGroup& group, std::size_t sample) const;
  std::vector<Vec3> waysTogether(const PairGroup& group, std::size_t sample) const;
  std::optional<Mode> pushOf(const PairGroup& group, std::size_t sample);
  double lengthOfLimb(std::size_t limb) const;
  double amountAt(const PairGroup& group, const Mode& mode, std::size_t sample, double guess);

  const LimbPoser& poser_;
  const SourceMeasures& source_;
  ClipSamples& base_;
  SkinTrial& trial_;
  const LayerStack& stack_;
};

}  // namespace clipmill::collision
