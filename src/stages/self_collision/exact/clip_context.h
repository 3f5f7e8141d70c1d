// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "penetration/self_penetration.h"
#include "retarget/contact_goals.h"
#include "scene/scene.h"
#include "stages/self_collision/exact/clip_measures.h"
#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/limb_groups.h"
#include "stages/self_collision/exact/limb_pose.h"
#include "stages/self_collision/exact/pose_limits.h"
#include "stages/self_collision/exact/skin_trial.h"
#include "stages/self_collision/settings.h"

namespace clipmill::stages::self_collision {

/// What keeps a limb from moving farther.
struct Obstacles {
  bool rotation = false, depth = false, planted_foot = false, grip = false, range = false,
       jerk = false;

  void add(PoseLimit limit);
  Obstacles& operator|=(const Obstacles& other);
};

/// One clip in the exact method: its inputs, its measures and its corrections so far. All steps of
/// the method are handed this one object.
struct ClipContext {
  /// All must outlive it. `contacts`: of the character from which the clip was retargeted; null
  /// for those that are found in the clip.
  ClipContext(const Scene& scene, const humanoid::HumanoidMap& map,
              const penetration::SelfPenetration& skin, const SelfCollisionSettings& settings,
              const Motion& source_motion, const retarget::ClipContacts* contacts = nullptr);
  ClipContext(const ClipContext&) = delete;
  ClipContext& operator=(const ClipContext&) = delete;

  const Scene& scene;
  const penetration::SelfPenetration& skin;
  const SelfCollisionSettings& settings;
  const Motion& source_motion;
  const retarget::ClipContacts* contacts;  ///< Of the source character; null for none.
  LimbPoser poser;
  SkinTrial trial;  ///< The pose that is being measured; every step sets its own.
  bool is_cycle;
  ClipMeasures source;                       ///< Of the source motion.
  std::vector<std::vector<bool>> is_pinned;  ///< pinnedEnds() of the source motion.

  /// The motion as players show it once the tracks of its limbs are written: linear between frames.
  /// Corrections are added to this.
  Motion base_motion;
  ClipSamples base;  ///< Of `base_motion`.

  PoseLimits limits;  ///< Of corrections to `base_motion`.
  CorrectionStack stack;
  bool tries_pitches = false;  ///< Grips may be resolved by pitchModes().
  Motion result;               ///< The source with the corrections of the last update().
  DepthTable depths;           ///< Of `result`.
  /// Why a limb moves no farther at a sample, [limb][sample].
  std::vector<std::vector<Obstacles>> obstacles;
  std::vector<double> limb_tolerance_m;  ///< Of lowerToleranceWhere(); empty: as in the measures.

  /// Sets the trial to a sample with all corrections of the stack.
  void setTrial(std::size_t sample) { trial.setPose(base.at(sample), stack.at(sample)); }
  /// The depth above which limbs penetrate: of the measures, but `asked_m` for limbs that have no
  /// goal and penetrate nowhere by more than that.
  void lowerToleranceWhere(double asked_m);
  /// For limbs that are resolved together, metres.
  double toleranceOf_m(std::span<const std::size_t> limbs) const;
  /// The pairs in which one of the limbs takes part, ascending.
  std::vector<std::size_t> pairsOf(std::span<const std::size_t> limbs) const;
  /// For each window of the marked samples its marked samples. Windows merge over gaps of
  /// merge_gap_s.
  std::vector<std::vector<std::size_t>> windowsOf(const std::vector<bool>& is_marked) const;
  /// The largest use of the limits by a limb at a sample of `result`.
  LimitUse limitUse(ClipSamples& of_result, std::size_t limb, std::size_t sample);
  /// Makes `result` from the stack and measures what changed since the last call.
  void update();
};

}  // namespace clipmill::stages::self_collision
