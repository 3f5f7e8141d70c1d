// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/limb_groups.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// Lowers and removes the layers of a clip until its result keeps all limits.
class LayerLimits {
 public:
  /// All must outlive it. `hold`: is called after each change of the layers, before the result is
  /// made again.
  LayerLimits(ClipContext& clip, const std::vector<PairGroup>& groups, std::function<void()> hold)
      : clip_(clip), groups_(groups), hold_(std::move(hold)) {}

  /// Until no limit is exceeded and each window is better than in the source, or than with
  /// `start_depths`: those of the clip from which the method started. What no scaling brings within
  /// a limit is left. Warnings: window_not_improved.
  void keep(const DepthTable& start_depths, StageResult& report);

 private:
  std::vector<bool> samplesOfLayers(std::size_t group, std::vector<std::size_t>& limbs) const;
  void markLayers(std::size_t group, std::span<const std::size_t> samples,
                  std::vector<bool>& is_worse) const;
  bool dropWorseWindows(const DepthTable& start_depths, StageResult& report);
  bool dropJerkyLayers();
  bool dropLayers(const std::vector<bool>& is_dropped);
  bool scaleLayersBeyondLimits();

  ClipContext& clip_;
  const std::vector<PairGroup>& groups_;
  std::function<void()> hold_;
};

}  // namespace clipmill::stages::self_collision
