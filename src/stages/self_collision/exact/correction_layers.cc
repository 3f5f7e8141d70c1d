// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/correction_layers.h"

#include <algorithm>
#include <span>
#include <utility>

#include "anim/pose.h"
#include "core/to_size.h"
#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/exact/smooth_envelope.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr double kEaseGrowth = 1.3;
constexpr std::size_t kElbowOfJerk = 1, kWristOfJerk = 3;  // of JointJerks
// Of the jerk limit, with chords: third differences of a clip that is sampled between its frames
// are a little larger.
constexpr double kSampledShare = 0.995;
constexpr double kFirstHold = 0.2, kMaxHold = 2.0;  // of the largest ease
// An amount is not monotonic in what it uses of a limit, so that lowering it takes a few rounds.
constexpr int kMaxLowerRounds = 4;
constexpr double kLoweredShare = 0.995;  // of a limit, because motion between frames differs

// At each sample the largest amount required within `reach` samples of it. The last sample of a
// cycle is its first.
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

}  // namespace

bool CorrectionMode::moves(std::size_t limb) const {
  return std::find(limbs.begin(), limbs.end(), limb) != limbs.end();
}

CorrectionStack::CorrectionStack(const Scene& scene, const LimbPoser& poser, const Motion& source,
                                 const SelfCollisionSettings& settings, bool is_cycle,
                                 PoseLimits& limits, bool by_chords)
    : scene_(scene),
      poser_(poser),
      source_(source),
      settings_(settings),
      is_cycle_(is_cycle),
      limits_(limits),
      by_chords_(by_chords),
      step_s_(0.5 / source.grid.fps) {
  for (std::size_t limb = 0; limb < poser.limbCount(); ++limb) {
    source_jerk_.push_back(jerkOf(limb));
  }
}

std::vector<LimbChange> CorrectionStack::at(std::size_t sample) const {
  std::vector<LimbChange> changes(poser_.limbCount());
  for (const CorrectionLayer& layer : layers_) {
    if (!layer.isActive(sample)) continue;
    for (std::size_t i = 0; i < layer.mode.limbs.size(); ++i) {
      changes[layer.mode.limbs[i]] += layer.mode.units[i] * layer.amounts[sample];
    }
  }
  return changes;
}

void CorrectionStack::fitWith(CorrectionLayer& layer, double ease_s, double hold_s) const {
  layer.ease_s = ease_s;
  layer.hold_s = hold_s;
  layer.amounts = smoothEnvelope(heldLonger(layer.required, toSize(hold_s / step_s_), is_cycle_),
                                 step_s_, ease_s, is_cycle_);
  lower(layer, 1.0);
}

std::vector<LimbChange> CorrectionStack::changesWithout(const CorrectionLayer& layer,
                                                        std::size_t sample) const {
  std::vector<LimbChange> changes(poser_.limbCount());
  for (const CorrectionLayer& other : layers_) {
    if (&other == &layer || !other.isActive(sample)) continue;
    for (std::size_t i = 0; i < other.mode.limbs.size(); ++i) {
      changes[other.mode.limbs[i]] += other.mode.units[i] * other.amounts[sample];
    }
  }
  return changes;
}

double CorrectionStack::maxAmount(const CorrectionLayer& layer, std::size_t sample,
                                  double max_amount) const {
  const std::vector<LimbChange> others = changesWithout(layer, sample);
  double amount = max_amount;
  for (std::size_t i = 0; i < layer.mode.limbs.size(); ++i) {
    const std::size_t limb = layer.mode.limbs[i];
    amount = limits_.maxAmount(limb, sample, others[limb], layer.mode.units[i], amount);
  }
  return amount;
}

PoseLimit CorrectionStack::nextLimit(const CorrectionLayer& layer, std::size_t limb,
                                     std::size_t sample) const {
  LimbChange change = changesWithout(layer, sample)[limb];
  for (std::size_t i = 0; i < layer.mode.limbs.size(); ++i) {
    if (layer.mode.limbs[i] == limb) change += layer.mode.units[i] * layer.mode.max_amount;
  }
  return limits_.use(limb, sample, change).nearest();
}

// By a factor that is 1 where the limits hold, and smooth over time.
void CorrectionStack::lower(CorrectionLayer& layer, double share) const {
  for (int round = 0; round < kMaxLowerRounds; ++round) {
    std::vector<double> excess(layer.amounts.size(), 0.0);
    bool is_any = false;
    for (std::size_t sample = 0; sample < excess.size(); ++sample) {
      const double amount = layer.amounts[sample];
      if (!(amount > 0.0)) continue;
      const double max = maxAmount(layer, sample, amount);
      if (!(max < amount)) continue;
      excess[sample] = 1.0 - share * kLoweredShare * max / amount;
      is_any = true;
    }
    if (!is_any) return;
    if (is_cycle_) excess.front() = excess.back() = std::max(excess.front(), excess.back());
    const std::vector<double> lowered =
        round + 1 < kMaxLowerRounds ? smoothEnvelope(excess, step_s_, layer.ease_s, is_cycle_)
                                    : excess;
    for (std::size_t sample = 0; sample < excess.size(); ++sample) {
      layer.amounts[sample] *= std::max(0.0, 1.0 - lowered[sample]);
    }
  }
}

void CorrectionStack::keepWithinLimits(std::size_t layer, double share) {
  lower(layers_[layer], share);
}

// Relative to the parent of the joint.
CorrectionStack::LimbJerk CorrectionStack::jerkOf(std::size_t limb) const {
  const MovableLimb& of_limb = poser_.limb(limb);
  const bool is_arm = !of_limb.is_leg;
  const std::array<int, 4> joints{of_limb.upper, of_limb.lower, is_arm ? of_limb.clavicle : -1,
                                  is_arm && of_limb.hasEnd() ? of_limb.end : -1};
  std::array<std::vector<Quat>, 4> rotations;
  const auto add = [&](std::span<const Transform> pose) {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (joints[j] >= 0) rotations[j].push_back(pose[toSize(joints[j])].rotation);
    }
  };
  std::vector<Transform> locals;
  std::vector<Affine> worlds;
  for (std::size_t frame = 0; frame < source_.grid.frame_count; ++frame) {
    const auto unchanged = source_.localsOf(frame);
    LimbChange change;
    for (const CorrectionLayer& layer : layers_) {
      if (!layer.mode.moves(limb) || !layer.isActive(2 * frame)) continue;
      for (std::size_t i = 0; i < layer.mode.limbs.size(); ++i) {
        if (layer.mode.limbs[i] == limb) change += layer.mode.units[i] * layer.amounts[2 * frame];
      }
    }
    if (change == kNoChange) {
      add(unchanged);
      continue;
    }
    computeWorlds(scene_.skeleton, unchanged, scene_.metric_from_file, worlds);
    locals.assign(unchanged.begin(), unchanged.end());
    poser_.apply(limb, change, worlds, locals);
    add(locals);
  }
  LimbJerk jerk{};
  for (std::size_t j = 0; j < joints.size(); ++j) {
    jerk[0][j] = rmsJerk_radps3(rotations[j], source_.grid.fps);
    if (by_chords_) jerk[1][j] = rmsQuaternionJerk_radps3(rotations[j], source_.grid.fps);
  }
  return jerk;
}

// Whether a layer moves the hand with the other one. The wrist then compensates for the arm.
bool CorrectionStack::isHeldByGrip(std::size_t limb) const {
  return std::any_of(layers_.begin(), layers_.end(), [&](const CorrectionLayer& layer) {
    return layer.mode.moves(limb) &&
           std::any_of(layer.mode.units.begin(), layer.mode.units.end(),
                       [](const LimbChange& unit) { return unit.movesGrip(); });
  });
}

double CorrectionStack::relativeJerkOf(std::span<const std::size_t> limbs) const {
  double largest = 0.0;
  for (const std::size_t limb : limbs) {
    const LimbJerk jerk = jerkOf(limb);
    const bool is_held = isHeldByGrip(limb);
    for (std::size_t measure = 0; measure < jerk.size(); ++measure) {
      const JointJerks& of_source = source_jerk_[limb][measure];
      for (std::size_t j = 0; j < of_source.size(); ++j) {
        double source = of_source[j];
        if (j == kWristOfJerk) {
          if (is_held) continue;
          source = std::max(source, of_source[kElbowOfJerk]);
        }
        const double allowed = settings_.max_jerk_ratio * (by_chords_ ? kSampledShare : 1.0) *
                               std::max(source, kStillJerk_radps3);
        largest = std::max(largest, jerk[measure][j] / allowed);
      }
    }
  }
  return largest;
}

double CorrectionStack::relativeJerkOf(std::size_t limb) const {
  return relativeJerkOf({&limb, 1});
}

double CorrectionStack::relativeJerk() const {
  std::vector<std::size_t> limbs;
  for (std::size_t limb = 0; limb < poser_.limbCount(); ++limb) {
    const bool is_moved =
        std::any_of(layers_.begin(), layers_.end(),
                    [&](const CorrectionLayer& layer) { return layer.mode.moves(limb); });
    if (is_moved) limbs.push_back(limb);
  }
  return relativeJerkOf(limbs);
}

double CorrectionStack::fitEnvelope(std::size_t index) {
  CorrectionLayer& layer = layers_[index];
  if (is_cycle_) {  // its first and last sample are one
    double &first = layer.required.front(), &last = layer.required.back();
    first = last = std::max(first, last);
  }
  const double min_ease_s = std::max(layer.ease_s, settings_.ease_s),
               max_ease_s = std::max(min_ease_s, settings_.max_ease_s);
  double relative_jerk = 0.0;
  for (double ease_s = min_ease_s;; ease_s *= kEaseGrowth) {
    fitWith(layer, std::min(ease_s, max_ease_s), layer.hold_s);
    relative_jerk = relativeJerkOf(layer.mode.limbs);
    if (relative_jerk <= 1.0) return relative_jerk;
    if (ease_s >= max_ease_s) break;
  }
  // The jerk that remains comes from amounts that rise and fall within the window.
  CorrectionLayer best = layer;
  for (double hold_s = std::max(layer.hold_s, kFirstHold * max_ease_s);
       relative_jerk > 1.0 && hold_s > 0.0 && hold_s <= kMaxHold * max_ease_s; hold_s *= 2.0) {
    fitWith(layer, max_ease_s, hold_s);
    const double now = relativeJerkOf(layer.mode.limbs);
    if (now >= relative_jerk) continue;
    relative_jerk = now;
    best = layer;
  }
  layer = std::move(best);
  return relative_jerk;
}

Motion CorrectionStack::apply() const {
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
        const std::size_t j = toSize(joint);
        if (motion.localsOf(frame)[j].rotation == source_.localsOf(frame)[j].rotation) continue;
        motion.modified.set(joint, TrackPath::kRotation);
      }
    }
  }
  return motion;
}

}  // namespace clipmill::stages::self_collision
