// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stages/self_collision/exact_depths.h"
#include "stages/self_collision/exact_layers.h"
#include "stages/self_collision/exact_modes.h"
#include "stages/self_collision/exact_pairs.h"
#include "stages/self_collision/exact_push.h"
#include "stages/self_collision/exact_samples.h"
#include "stages/self_collision/exact_search.h"
#include "stages/self_collision/exact_settings.h"
#include "stages/self_collision/exact_skin.h"

namespace clipmill::collision {

/// Frees one group of pairs in one window by one layer.
class WindowSolver {
 public:
  /// `base` is the motion to which the changes of `stack` are applied; `now` what was measured with
  /// them. `is_held` tells for each limb at which samples its end has to stay. All must outlive it.
  WindowSolver(const LimbPoser& poser, const ExactSettings& settings, const SourceMeasures& source,
               const DepthTable& now, const std::vector<std::vector<bool>>& is_held,
               ClipSamples& base, SkinTrial& trial, LayerStack& stack);

  std::size_t sampleCount() const { return now_.sampleCount(); }

  /// The best modes for the samples, which are those of the window at which the group is too deep,
  /// by cost, that is turns of the joints, the way of the wrist and touches lost, at a few of them:
  /// the best first, and others that lose no more touches.
  std::vector<Mode> chooseModes(const PairGroup& group, std::span<const std::size_t> samples);

  /// The same of modes that are found by leastPushes(): slower, where the common ones will not do,
  /// and for arms that are moved as one. None where nothing frees the group.
  std::vector<Mode> choosePushes(const PairGroup& group, std::span<const std::size_t> samples);

  /// Raises what the layer requires at the samples until the group is free there. Returns at how
  /// many it does not get free; there it gets as far out as the layer brings it. `was_measured`:
  /// the samples were found too deep with this layer as it is, so that all need more.
  std::size_t require(const PairGroup& group, std::size_t layer,
                      std::span<const std::size_t> samples, bool was_measured);

 private:
  struct LinkedSamples {
    std::vector<std::size_t> linked, others;
  };
  // The samples for which modes are chosen, and those of them at which modes are compared, the
  // deepest first.
  struct Keys {
    std::vector<std::size_t> linked, samples;
  };
  Keys keysOf(const PairGroup& group, std::span<const std::size_t> samples) const;
  std::vector<Mode> cheapest(const PairGroup& group, std::vector<Mode> candidates,
                             const Keys& keys);
  LinkedSamples linkedFirst(const PairGroup& group, std::span<const std::size_t> samples) const;
  std::size_t requireAt(const PairGroup& group, Layer& layer, std::span<const std::size_t> samples,
                        bool was_measured, double most_amount);
  double slack_m() const;
  struct PairLimit {
    std::size_t pair = 0;
    double most_m = 0.0;        // depth
    bool is_bystander = false;  // not of the group
  };
  std::vector<PairLimit> limitsAt(const PairGroup& group, const Mode& mode,
                                  std::size_t sample) const;
  double room_m(std::span<const PairLimit> limits, bool first_will_do) const;
  std::size_t lostTouches(const Mode& mode, std::size_t sample) const;
  std::optional<std::size_t> companionOf(const PairGroup& group, std::size_t sample) const;
  FreeAmount amountOf(const PairGroup& group, const Mode& mode, std::size_t sample, double present,
                      const SearchRange& range, bool likely_free);
  double measuredRoom_m(const PairGroup& group, std::size_t sample) const;
  double costOf(const PairGroup& group, const Mode& mode, std::size_t sample);
  PushPose pushPose(const PairGroup& group, std::size_t sample);
  std::vector<Mode> pushesOf(const PairGroup& group, std::span<const std::size_t> keys);
  DeepPlace deepPlace(const PairGroup& group, std::size_t deepest,
                      std::span<const std::size_t> samples) const;

  const LimbPoser& poser_;
  const ExactSettings& settings_;
  const SourceMeasures& source_;
  const DepthTable& now_;
  const std::vector<std::vector<bool>>& is_held_;
  ClipSamples& base_;
  SkinTrial& trial_;
  LayerStack& stack_;
};

/// How much deeper than the tolerance the group is at a sample, metres; 0 or less: not too deep.
double excess_m(const PairGroup& group, const DepthTable& depths, std::size_t sample,
                double tolerance_m);

}  // namespace clipmill::collision
