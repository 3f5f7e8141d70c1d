// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "scene/self_penetration.h"
#include "stages/self_collision/exact_limb.h"
#include "stages/self_collision/exact_samples.h"

namespace clipmill::collision {

/// The skin of one pose, with changes of its limbs tried on it.
class SkinTrial {
 public:
  /// All must outlive it.
  SkinTrial(const Scene& scene, const SelfPenetration& skin, const LimbPoser& poser);

  /// Another of the same figure, without a pose.
  SkinTrial fresh() const { return {scene_, skin_, poser_}; }

  /// Takes a pose, with one change a limb (none: no changes). `base` stays in use until the next.
  void begin(const PoseSpans& base, std::span<const LimbChange> changes);
  /// Changes some limbs in the same pose; the others keep what they have.
  void change(std::span<const std::size_t> limbs, std::span<const LimbChange> changes);

  PairDepth measure(std::size_t pair) const { return skin_.measure(pair, *pose_); }
  const LimbPoser& poser() const { return poser_; }
  std::span<const PartPair> pairs() const { return skin_.pairs(); }
  PairClearance clearance(std::size_t pair, double reach_m) const {
    return skin_.clearance(pair, *pose_, reach_m);
  }
  double clearance_m(std::size_t pair, double reach_m) const {
    return skin_.clearance_m(pair, *pose_, reach_m);
  }

  /// Metric world_from_node of the base with other changes, one a limb; the skin stays.
  std::vector<Affine> worldsWith(std::span<const LimbChange> changes) const;

  /// Of the base, without changes: metric world_from_node.
  std::span<const Affine> baseWorlds() const { return base_worlds_; }
  const std::vector<LimbChange>& changes() const { return changes_; }
  /// The locals of the base, and of the pose as it is now.
  std::span<const Transform> baseLocals() const { return base_.locals; }
  std::span<const Transform> locals() const { return locals_; }
  /// Place of a node in the pose as it is now, metres.
  Vec3 placeOf(int node) const;

 private:
  std::vector<Transform> localsWith(std::span<const LimbChange> changes) const;
  void computeChanged();

  const Scene& scene_;
  const SelfPenetration& skin_;
  const LimbPoser& poser_;
  std::shared_ptr<SelfPenetration::Pose> pose_;
  PoseSpans base_;
  std::vector<Affine> base_worlds_;
  std::vector<LimbChange> changes_;
  std::vector<Transform> locals_;
  std::vector<Affine> file_worlds_;
};

}  // namespace clipmill::collision
