// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anim/motion.h"
#include "core/math.h"
#include "scene/scene.h"
#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/exact/joint_ranges.h"
#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {

/// What a correction must not exceed.
enum class PoseLimit {
  kRotation,     ///< The largest rotation of a joint relative to its parent.
  kDepth,        ///< How far a leg may move to resolve the penetration that it has.
  kPlantedFoot,  ///< A planted foot keeps its position.
  kGrip,         ///< Hands that hold one thing move as one rigid body.
  kRange         ///< The anatomical range of a joint.
};
inline constexpr std::size_t kPoseLimitCount = 5;

/// The change of a limb at a sample relative to each limit: 1 is at the limit.
struct LimitUse {
  std::array<double, kPoseLimitCount> ratio{};
  int joint = -1;             ///< The one that rotates most, relative to its parent.
  double rotation_rad = 0.0;  ///< By how much.
  int range_joint = -1;       ///< The one that is nearest to the end of its range.

  double largest() const;
  PoseLimit nearest() const;  ///< The limit of the largest ratio.
};

/// Lengths and depths on which the limits depend.
struct PoseLimitInputs {
  double max_rotation_rad = 0.0;
  double height_m = 0.0;
  /// Penetration depth of each limb for which it may move, metres, [limb][sample]. Empty for
  /// limbs without such a limit.
  std::vector<std::vector<double>> depth_m;
  std::vector<std::vector<bool>> is_planted;  ///< [limb][sample]
  std::vector<bool> is_gripped;               ///< Both hands hold one thing; empty for never.
  std::optional<JointRanges> ranges = {};     ///< Unset: joints have no ranges.
};

/// The limits of limb changes at the samples of a clip:
/// - no joint of the limb rotates by more than `max_rotation_rad`, relative to its parent and to
///   the unchanged pose;
/// - knee and ankle of a leg move by at most 6 times the depth that the leg has plus 1 % of the
///   height, and its hip rotates by at most that distance over the leg's length;
/// - the ankle of a planted leg moves by at most 0.5 % of the height;
/// - a hand in a grip is within 0.1 % of the height and 2.5 degrees of the rigid motion of both
///   hands (LimbPoser::gripMotion()), from the unchanged pose or from where hold() puts them;
/// - no joint leaves its anatomical range, or goes farther out than in the unchanged pose
///   (useOfRange()).
class PoseLimits {
 public:
  /// All but `inputs` must outlive it. `motion`: the unchanged poses.
  PoseLimits(const Scene& scene, const LimbPoser& poser, const Motion& motion,
             PoseLimitInputs inputs);

  /// The metric transforms of a left and a right hand.
  using Hands = std::array<Affine, 2>;
  /// Hands that hold one thing, in place of those of the unchanged poses; one a sample, which count
  /// where the inputs have a grip. Empty: those of the unchanged poses.
  void hold(std::vector<Hands> hands) { held_ = std::move(hands); }
  /// Without grips while it is true.
  void letGo(bool is_free) { is_free_ = is_free; }

  /// How far the change of a limb at a sample uses its limits.
  LimitUse use(std::size_t limb, std::size_t sample, const LimbChange& change);

  /// The same of a pose that was written, given by its locals; without the grip.
  LimitUse use(std::size_t limb, std::size_t sample, std::span<const Transform> locals);

  /// How far a pose that was written uses the limit of the grip: the error of the left hand
  /// relative to the right one. 0 without a grip at the sample.
  double gripUse(std::size_t sample, std::span<const Transform> locals);

  /// The angles of a limb with a change at a sample; all 0 if joints have no ranges.
  LimbAngles anglesOf(std::size_t limb, std::size_t sample, const LimbChange& change);

  /// The largest amount up to `max_amount` of `unit` that, added to `present`, keeps the limits; 0
  /// if none does.
  double maxAmount(std::size_t limb, std::size_t sample, const LimbChange& present,
                   const LimbChange& unit, double max_amount);

 private:
  void setSample(std::size_t sample);
  Affine worldOf(int node, int below, std::span<const Transform> locals) const;
  bool isGripped(std::size_t sample) const {
    return !is_free_ && !inputs_.is_gripped.empty() && inputs_.is_gripped[sample];
  }
  double gripRatio(std::size_t limb, const LimbChange& change) const;
  LimbAngles anglesOf(std::size_t limb, std::span<const Transform> locals);
  const LimbAngles& baseAngles(std::size_t limb);
  void restore(std::size_t limb);

  const Scene& scene_;
  const LimbPoser& poser_;
  PoseLimitInputs inputs_;
  ClipSamples samples_;
  std::size_t sample_ = static_cast<std::size_t>(-1);
  std::vector<Transform> base_, changed_;
  std::vector<Affine> worlds_, changed_worlds_;
  std::vector<std::optional<LimbAngles>> base_angles_;  // one a limb, where they were needed
  std::vector<Hands> held_;
  bool is_free_ = false;
};

}  // namespace clipmill::stages::self_collision
