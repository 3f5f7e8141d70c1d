// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/layer_limits.h"

#include <algorithm>

namespace clipmill::stages::self_collision {
namespace {

constexpr int kMaxLimitRounds = 8;
constexpr double kRounding = 1e-9, kScaledShare = 0.999;  // of a limit

}  // namespace

// Adds the limbs that the layers of the group move to `limbs`.
std::vector<bool> LayerLimits::samplesOfLayers(std::size_t group,
                                               std::vector<std::size_t>& limbs) const {
  std::vector<bool> is_active(clip_.depths.sampleCount(), false);
  for (const CorrectionLayer& layer : clip_.stack.layers()) {
    if (layer.group != group || layer.is_goal) continue;
    limbs.insert(limbs.end(), layer.mode.limbs.begin(), layer.mode.limbs.end());
    for (std::size_t s = 0; s < is_active.size(); ++s) {
      if (layer.isActive(s)) is_active[s] = true;
    }
  }
  return is_active;
}

// Marks the layers of the group that are active at one of the samples.
void LayerLimits::markLayers(std::size_t group, std::span<const std::size_t> samples,
                             std::vector<bool>& is_worse) const {
  const std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].group == group && !layers[i].is_goal &&
        std::any_of(samples.begin(), samples.end(),
                    [&](std::size_t s) { return layers[i].isActive(s); })) {
      is_worse[i] = true;
    }
  }
}

// Removes the layers of windows that are not better than in the source. True if there were any.
bool LayerLimits::dropWorseWindows(const DepthTable& start_depths, StageResult& report) {
  std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  std::vector<bool> is_worse(layers.size(), false);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    std::vector<std::size_t> limbs;
    const std::vector<bool> is_active = samplesOfLayers(group, limbs);
    const std::vector<std::size_t> pairs = clip_.pairsOf(limbs);
    for (const Window& span : findWindows(is_active, clip_.base.step_s(), 0.0, clip_.is_cycle)) {
      const std::vector<std::size_t> samples = samplesOf(span, is_active.size());
      const double tolerance_m = clip_.source.tolerance_m;
      const SpanMeasure now = measureOf(clip_.depths, pairs, samples, tolerance_m);
      if (now.isBetterThan(measureOf(clip_.source.depths, pairs, samples, tolerance_m)) ||
          now.isBetterThan(measureOf(start_depths, pairs, samples, tolerance_m))) {
        continue;
      }
      markLayers(group, samples, is_worse);
      report.warnings.add("window_not_improved",
                          "no correction improves the window by all measures",
                          clip_.source_motion.clip_name + ": " + groups_[group].name);
    }
  }
  return dropLayers(is_worse);
}

// True if any is dropped.
bool LayerLimits::dropLayers(const std::vector<bool>& is_dropped) {
  std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  std::vector<CorrectionLayer> kept;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!is_dropped[i]) kept.push_back(std::move(layers[i]));
  }
  const bool dropped = kept.size() < is_dropped.size();
  layers = std::move(kept);
  if (dropped) hold_();
  if (dropped) clip_.update();
  return dropped;
}

// Removes the last layer of a limb whose jerk exceeds the limit, for example because a layer that
// made it smooth is gone. True if there is one.
bool LayerLimits::dropJerkyLayers() {
  const std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  for (std::size_t i = layers.size(); i-- > 0;) {
    const auto& limbs = layers[i].mode.limbs;
    const bool is_smooth = std::all_of(limbs.begin(), limbs.end(), [&](std::size_t limb) {
      return clip_.stack.relativeJerkOf(limb) <= 1.0 + kRounding;
    });
    if (is_smooth) continue;
    for (const std::size_t limb : limbs) {
      for (std::size_t s = 0; s < clip_.depths.sampleCount(); ++s) {
        if (layers[i].isActive(s)) clip_.obstacles[limb][s].jerk = true;
      }
    }
    std::vector<bool> is_dropped(layers.size(), false);
    is_dropped[i] = true;
    return dropLayers(is_dropped);
  }
  return false;
}

// Lowers the layers of limbs that exceed a limit in the result, also between frames. True if there
// are any.
bool LayerLimits::scaleLayersBeyondLimits() {
  std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  std::vector<double> share(layers.size(), 1.0);
  ClipSamples result(clip_.scene, clip_.result);
  for (std::size_t s = 0; s < result.count(); ++s) {
    const double grip =
        ClipSamples::isFrame(s) ? clip_.limits.gripUse(s, clip_.result.localsOf(s / 2)) : 0.0;
    for (std::size_t limb = 0; limb < clip_.poser.limbCount(); ++limb) {
      const double use = std::max(clip_.limitUse(result, limb, s).largest(),
                                  clip_.poser.limb(limb).is_leg ? 0.0 : grip);
      if (use <= 1.0 + kRounding) continue;
      for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::size_t next = std::min(s + 1, result.count() - 1);
        const bool is_near = layers[i].isActive(s) || layers[i].isActive(next) ||
                             (s > 0 && layers[i].isActive(s - 1));
        if (layers[i].mode.moves(limb) && is_near) {
          share[i] = std::min(share[i], kScaledShare / use);
        }
      }
    }
  }
  bool is_any = false;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!(share[i] < 1.0)) continue;
    is_any = true;
    clip_.stack.keepWithinLimits(i);
    for (double& amount : layers[i].amounts) amount *= share[i];
  }
  if (is_any) hold_();
  if (is_any) clip_.update();
  return is_any;
}

void LayerLimits::keep(const DepthTable& start_depths, StageResult& report) {
  for (int round = 0;; ++round) {
    if (scaleLayersBeyondLimits()) {
      if (round < kMaxLimitRounds) continue;
      dropLayers(std::vector<bool>(clip_.stack.layers().size(), true));
    }
    if (!dropWorseWindows(start_depths, report) && !dropJerkyLayers()) return;
  }
}

}  // namespace clipmill::stages::self_collision
