// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_layers.h"

#include <algorithm>
#include <span>
#include <utility>

#include "anim/pose.h"
#include "stages/self_collision/exact_envelope.h"
#include "stages/self_collision/exact_samples.h"

namespace clipmill::collision {
namespace {

constexpr double kEaseGrowth = 1.3;
constexpr double kFirstHold = 0.2, kMostHold = 2.0;  // of the longest ease

// At each sample the most that is required within so many samples of it. A cycle's last sample is
// its first.
std::vector<double> heldLonger(std::span<const double> required, std::size_t reach, bool is_cycle) {
  std::vector<double> held(required.begin(), required.end());
  const std::size_t count = held.size(), period = is_cycle && count > 1 ? count - 1 : count;
  const auto raise = [&](std::size_t sample, double amount) {
    if (is_cycle) sample %= period;
    if (sample < count) held[sample] = std::max(held[sample], amount);
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!(required[i] > 0.0)) continue;
    for (std::size_t k = 1; k <= std::min(reach, period); ++k) {
      raise(i + k, required[i]);
      if (is_cycle || i >= k) raise(is_cycle ? i + period - k : i - k, required[i]);
    }
  }
  if (is_cycle && count > 0) held.back() = held.front();
  return held;
}

bool movesLimb(const Layer& layer, std::size_t limb) {
  const std::vector<std::size_t>& limbs = layer.mode.limbs;
  return std::find(limbs.begin(), limbs.end(), limb) != limbs.end();
}

}  // namespace

LayerStack::LayerStack(const Scene& scene, const LimbPoser& poser, const Motion& source,
                       const ExactSettings& settings, bool is_cycle)
    : scene_(scene),
      poser_(poser),
      source_(source),
      settings_(settings),
      is_cycle_(is_cycle),
      step_s_(0.5 / source.grid.fps) {
  for (std::size_t limb = 0; limb < poser.limbCount(); ++limb) {
    source_jerk_.push_back(jerkOf(limb));
  }
}

std::vector<LimbChange> LayerStack::at(std::size_t sample) const {
  std::vector<LimbChange> changes(poser_.limbCount());
  for (const Layer& layer : layers_) {
    if (!layer.isActive(sample)) continue;
    for (std::size_t i = 0; i < layer.mode.limbs.size(); ++i) {
      changes[layer.mode.limbs[i]] += layer.mode.units[i] * layer.amounts[sample];
    }
  }
  return changes;
}

void LayerStack::shapeWith(Layer& layer, double ease_s, double hold_s) const {
  layer.ease_s = ease_s;
  layer.hold_s = hold_s;
  layer.amounts = smoothEnvelope(
      heldLonger(layer.required, static_cast<std::size_t>(hold_s / step_s_), is_cycle_), step_s_,
      ease_s, is_cycle_);
}

// Of shoulder or hip, in the axes of its parent.
double LayerStack::jerkOf(std::size_t limb) const {
  const std::size_t upper = static_cast<std::size_t>(poser_.limb(limb).upper);
  std::vector<Quat> rotations;
  std::vector<Transform> locals;
  std::vector<Affine> worlds;
  for (std::size_t frame = 0; frame < source_.grid.frame_count; ++frame) {
    const auto unchanged = source_.localsOf(frame);
    rotations.push_back(unchanged[upper].rotation);
    LimbChange change;
    for (const Layer& layer : layers_) {
      if (!movesLimb(layer, limb) || !layer.isActive(2 * frame)) continue;
      for (std::size_t i = 0; i < layer.mode.limbs.size(); ++i) {
        if (layer.mode.limbs[i] == limb) change += layer.mode.units[i] * layer.amounts[2 * frame];
      }
    }
    if (change == kNoChange) continue;
    computeWorlds(scene_.skeleton, unchanged, scene_.metric_from_file, worlds);
    locals.assign(unchanged.begin(), unchanged.end());
    poser_.apply(limb, change, worlds, locals);
    rotations.back() = locals[upper].rotation;
  }
  return rmsJerk_radps3(rotations, source_.grid.fps);
}

double LayerStack::roughnessOf(std::span<const std::size_t> limbs) const {
  double roughest = 0.0;
  for (const std::size_t limb : limbs) {
    const double allowed = settings_.jerk_ratio * std::max(source_jerk_[limb], kStillJerk_radps3);
    roughest = std::max(roughest, jerkOf(limb) / allowed);
  }
  return roughest;
}

double LayerStack::roughness() const {
  std::vector<std::size_t> limbs;
  for (std::size_t limb = 0; limb < poser_.limbCount(); ++limb) {
    const bool is_moved = std::any_of(layers_.begin(), layers_.end(),
                                      [&](const Layer& layer) { return movesLimb(layer, limb); });
    if (is_moved) limbs.push_back(limb);
  }
  return roughnessOf(limbs);
}

double LayerStack::shape(std::size_t index) {
  Layer& layer = layers_[index];
  if (is_cycle_) {  // its first and last sample are one
    double &first = layer.required.front(), &last = layer.required.back();
    first = last = std::max(first, last);
  }
  const double shortest = std::max(layer.ease_s, settings_.ease_s),
               longest = std::max(shortest, settings_.longest_ease_s);
  double roughness = 0.0;
  for (double ease_s = shortest;; ease_s *= kEaseGrowth) {
    shapeWith(layer, std::min(ease_s, longest), layer.hold_s);
    roughness = roughnessOf(layer.mode.limbs);
    if (roughness <= 1.0) return roughness;
    if (ease_s >= longest) break;
  }
  // What still is too rough rises and falls too much in between.
  Layer least = layer;
  for (double hold_s = std::max(layer.hold_s, kFirstHold * longest);
       roughness > 1.0 && hold_s > 0.0 && hold_s <= kMostHold * longest; hold_s *= 2.0) {
    shapeWith(layer, longest, hold_s);
    const double now = roughnessOf(layer.mode.limbs);
    if (now >= roughness) continue;
    roughness = now;
    least = layer;
  }
  layer = std::move(least);
  return roughness;
}

Motion LayerStack::apply() const {
  Motion motion = source_;
  std::vector<Affine> worlds;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const std::vector<LimbChange> changes = at(2 * frame);
    if (std::all_of(changes.begin(), changes.end(),
                    [](const LimbChange& change) { return change == kNoChange; })) {
      continue;
    }
    computeWorlds(scene_.skeleton, source_.localsOf(frame), scene_.metric_from_file, worlds);
    for (std::size_t limb = 0; limb < changes.size(); ++limb) {
      if (changes[limb] == kNoChange) continue;
      poser_.apply(limb, changes[limb], worlds, motion.frame(frame).locals);
      for (const int joint : poser_.limb(limb).joints()) {
        const std::size_t j = static_cast<std::size_t>(joint);
        if (motion.localsOf(frame)[j].rotation == source_.localsOf(frame)[j].rotation) continue;
        motion.touched.set(joint, TrackPath::kRotation);
      }
    }
  }
  return motion;
}

}  // namespace clipmill::collision
