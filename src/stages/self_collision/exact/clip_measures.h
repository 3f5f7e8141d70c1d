// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "penetration/self_penetration.h"
#include "stages/self_collision/exact/hand_grips.h"
#include "stages/self_collision/exact/limb_groups.h"
#include "stages/self_collision/exact/limb_pose.h"
#include "stages/self_collision/exact/relative_hands.h"
#include "stages/self_collision/exact/skin_trial.h"

namespace clipmill::stages::self_collision {

/// Penetration of every pair at every sample of a clip.
class DepthTable {
 public:
  DepthTable(std::size_t sample_count, std::size_t pair_count)
      : pair_count_(pair_count), cells_(sample_count * pair_count) {}

  penetration::PairDepth& at(std::size_t sample, std::size_t pair) {
    return cells_[sample * pair_count_ + pair];
  }
  const penetration::PairDepth& at(std::size_t sample, std::size_t pair) const {
    return cells_[sample * pair_count_ + pair];
  }
  std::size_t pairCount() const { return pair_count_; }
  std::size_t sampleCount() const { return pair_count_ ? cells_.size() / pair_count_ : 0; }

  /// Largest depth of the pairs at a sample, metres; 0 for no pairs.
  double maxDepth_m(std::span<const std::size_t> pairs, std::size_t sample) const;
  double maxDepth_m(std::size_t sample) const;  ///< Of all pairs.

 private:
  std::size_t pair_count_;
  std::vector<penetration::PairDepth> cells_;
};

/// Samples with a deliberate contact of a group's links, and the others.
struct LinkedSamples {
  std::vector<std::size_t> linked, others;
};

/// What a clip is before it is changed: penetration, and deliberate contacts that should remain.
struct ClipMeasures {
  DepthTable depths;
  std::vector<std::vector<bool>> contacts;  ///< [pair][sample]: deliberate, of arms and hands.
  double tolerance_m = 0.0;
  double contact_distance_m = 0.0;   ///< Parts that are nearer than this are in contact.
  std::vector<GripSpan> grips;       ///< Spans in which both hands hold one thing.
  std::vector<bool> is_gripped;      ///< The samples of these spans.
  std::vector<RelativeHands> hands;  ///< Of each sample.
  /// [pair][sample]: distance of arms from the other parts of their pairs, up to
  /// contact_distance_m; negative: minus the penetration depth. Empty for legs.
  std::vector<std::vector<double>> clearance_m;
  double height_m = 0.0;  ///< Of the character.

  /// Whether one of the pairs has a deliberate contact at the sample.
  bool hasContactAt(std::span<const std::size_t> pairs, std::size_t sample) const;
  /// Whether the arms of a group with links are in contact, or their hands hold one thing.
  bool isLinkedAt(const PairGroup& group, std::size_t sample) const;
  /// The samples within `reach` samples of such a sample.
  std::vector<bool> linkedNear(const PairGroup& group, std::size_t reach) const;
  /// `samples` split by isLinkedAt(); all are linked if the group has no links.
  LinkedSamples splitByLinks(const PairGroup& group, std::span<const std::size_t> samples) const;

  /// Depth at or below which a pair counts as resolved at a sample, metres. Less than the tolerance
  /// because the motion between samples may penetrate more. Pairs in deliberate contact may keep
  /// a little more depth, so that the contact remains.
  double targetDepth_m(std::size_t sample, std::size_t pair) const;
  /// Depth that a pair may have where another pair is resolved, metres.
  double allowedDepth_m(std::size_t sample, std::size_t pair) const;
  /// Largest depth of any pair where contacts are restored, metres.
  double restoredDepth_m() const;
};

/// Penetration of some pairs over a span of a clip.
struct SpanMeasure {
  std::size_t penetrating_samples = 0;   ///< Above the tolerance.
  std::size_t penetrating_vertices = 0;  ///< Summed over the samples.
  double max_depth_m = 0.0;

  /// No measure is worse, and one is better.
  bool isBetterThan(const SpanMeasure& before) const;
};

SpanMeasure measureOf(const DepthTable& depths, std::span<const std::size_t> pairs,
                      std::span<const std::size_t> samples, double tolerance_m);

/// Whether the pairs penetrate in the whole clip no more in `after` than in `before`, and no more
/// than in the source.
bool isAsFree(const ClipMeasures& source, std::span<const std::size_t> pairs,
              const DepthTable& before, const DepthTable& after);

/// When a contact of two body parts is deliberate.
struct ContactLimits {
  double distance_m = 0.0;  ///< Nearer than this, or penetrating.
  double speed_mps = 0.0;   ///< Relative speed below this.
  double min_duration_s =
      0.15;               ///< Shorter contacts count only where an end of the clip cuts them.
  bool is_cycle = false;  ///< The last sample is the first: a contact continues across the seam.
};

/// Samples at which a contact is deliberate: hands on hips, clasped hands, crossed arms. A limb at
/// rest far inside another part counts too, because a thinner body has its surface there.
/// `distance_m` is negative where the parts penetrate.
std::vector<bool> findDeliberateContacts(std::span<const double> distance_m,
                                         std::span<const double> speed_mps, double step_s,
                                         const ContactLimits& limits);

/// Depths of all pairs at frames and midpoints of a motion, and the deliberate contacts of its
/// arms: nearer than 2 % of the character's height or penetrating, and slower relative to each
/// other than 10 % of the height per second, for at least 0.15 s.
ClipMeasures measureClip(const Scene& scene, const penetration::SelfPenetration& skin,
                         const LimbPoser& poser, const Motion& motion, double tolerance_m,
                         bool is_cycle, SkinTrial& trial);

/// Which deliberate contacts of the source remain in `result`, [pair][sample]; frames only. The
/// parts are nearer than the contact distance; arms whose hands hold one thing keep that grip too.
std::vector<std::vector<bool>> contactsKept(const Scene& scene,
                                            const penetration::SelfPenetration& skin,
                                            const ClipMeasures& source, const Motion& result,
                                            SkinTrial& trial);

/// The samples at which the end of each limb must keep its world position: planted feet.
/// [limb][sample].
std::vector<std::vector<bool>> pinnedEnds(const Scene& scene, const humanoid::HumanoidMap& map,
                                          const LimbPoser& poser, const Motion& motion);

}  // namespace clipmill::stages::self_collision
