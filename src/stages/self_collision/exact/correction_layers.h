// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/self_collision/exact/limb_pose.h"
#include "stages/self_collision/exact/pose_limits.h"
#include "stages/self_collision/settings.h"

namespace clipmill::stages::self_collision {

/// A one-parameter change of some limbs: each limb changes by its unit times one common amount.
struct CorrectionMode {
  std::vector<std::size_t> limbs;
  std::vector<LimbChange> units;  ///< One per limb; an amount of 1 is about a radian.
  double max_amount = 1.0;
  double guess = 0.0;  ///< Where the search for an amount starts.

  bool moves(std::size_t limb) const;
  bool operator==(const CorrectionMode&) const = default;
};

/// One mode with an amount at every sample of a clip.
struct CorrectionLayer {
  std::size_t group = 0;
  CorrectionMode mode;
  std::vector<double> required;  ///< Least amount at each sample; 0 where none is needed.
  double ease_s = 0.0;
  double hold_s = 0.0;          ///< Time by which each required amount is extended on both sides.
  std::vector<double> amounts;  ///< The envelope of `required`, within the limits of the pose.
  bool is_goal = false;         ///< Of goalCandidates(): kept although it improves no window.

  bool isActive(std::size_t sample) const { return amounts[sample] > 0.0; }
  bool operator==(const CorrectionLayer&) const = default;
};

/// All changes of a clip: the sum of layers, which may overlap.
class CorrectionStack {
 public:
  /// All must outlive it. `by_chords`: the jerk of joints is also limited as
  /// rmsQuaternionJerk_radps3().
  CorrectionStack(const Scene& scene, const LimbPoser& poser, const Motion& source,
                  const SelfCollisionSettings& settings, bool is_cycle, PoseLimits& limits,
                  bool by_chords = false);

  std::vector<CorrectionLayer>& layers() { return layers_; }
  const std::vector<CorrectionLayer>& layers() const { return layers_; }
  /// The summed change of every limb.
  std::vector<LimbChange> at(std::size_t sample) const;

  /// Computes the envelope of a layer, with the shortest ease that keeps the jerk of every
  /// clavicle, shoulder, elbow, wrist, hip and knee that it moves within the limit (a wrist may
  /// have that of the elbow, and is free where its hand is moved with the other one); never shorter
  /// than its present ease. Where max_ease_s is too short for that, required amounts are held for
  /// longer. In a cycle, both end samples get the larger of their required amounts. Where the
  /// limits of the pose do not allow the envelope it is lowered smoothly. Returns the largest jerk
  /// relative to its limit: 1 or less where all are within it.
  double fitEnvelope(std::size_t layer);
  /// Lowers the envelope of a layer where the pose exceeds its limits, multiplied by `share`.
  void keepWithinLimits(std::size_t layer, double share = 1.0);
  /// The largest amount of a layer that keeps the limits of the pose at a sample, up to
  /// `max_amount`, with the other layers as they are.
  double maxAmount(const CorrectionLayer& layer, std::size_t sample, double max_amount) const;
  /// The limit that a limb meets first where a layer takes its largest amount.
  PoseLimit nextLimit(const CorrectionLayer& layer, std::size_t limb, std::size_t sample) const;
  /// The largest jerk, relative to its limit, of all limbs that any layer moves.
  double relativeJerk() const;
  /// The same of one limb.
  double relativeJerkOf(std::size_t limb) const;
  /// The source with all changes; the rotation tracks of changed joints are marked as modified.
  Motion apply() const;

 private:
  // Of shoulder and elbow, or hip and knee, and of the clavicle and wrist of an arm; 0 for missing
  // ones. By rotation vectors, and by chords: 0 where these do not count.
  using JointJerks = std::array<double, 4>;
  using LimbJerk = std::array<JointJerks, 2>;

  void fitWith(CorrectionLayer& layer, double ease_s, double hold_s) const;
  void lower(CorrectionLayer& layer, double share) const;
  std::vector<LimbChange> changesWithout(const CorrectionLayer& layer, std::size_t sample) const;
  LimbJerk jerkOf(std::size_t limb) const;
  bool isHeldByGrip(std::size_t limb) const;
  double relativeJerkOf(std::span<const std::size_t> limbs) const;

  const Scene& scene_;
  const LimbPoser& poser_;
  const Motion& source_;
  const SelfCollisionSettings& settings_;
  bool is_cycle_;
  PoseLimits& limits_;
  bool by_chords_;
  double step_s_;
  std::vector<LimbJerk> source_jerk_;  // one per limb
  std::vector<CorrectionLayer> layers_;
};

}  // namespace clipmill::stages::self_collision
