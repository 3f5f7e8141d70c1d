// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/to_size.h"
#include "penetration/self_penetration.h"
#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {

/// The skin of one pose, on which limb changes are tried and measured.
class SkinTrial {
 public:
  /// All must outlive it.
  SkinTrial(const Scene& scene, const penetration::SelfPenetration& skin, const LimbPoser& poser);

  /// Another one of the same character, without a pose.
  SkinTrial withoutPose() const { return {scene_, skin_, poser_}; }

  /// Sets the base pose and its changes, one per limb (none: no changes). `base` is used until the
  /// next call.
  void setPose(const PoseSpans& base, std::span<const LimbChange> changes);
  /// Sets the changes of some limbs in the same base pose; those of the other limbs stay.
  void setChanges(std::span<const std::size_t> limbs, std::span<const LimbChange> changes);

  penetration::PairDepth measure(std::size_t pair) const { return skin_.measure(pair, *pose_); }
  std::vector<penetration::PenetratingPoint> penetratingPoints(std::size_t pair) const {
    return skin_.penetratingPoints(pair, *pose_);
  }
  const LimbPoser& poser() const { return poser_; }
  std::span<const penetration::PartPair> pairs() const { return skin_.pairs(); }
  penetration::PairClearance clearance(std::size_t pair, double reach_m) const {
    return skin_.clearance(pair, *pose_, reach_m);
  }
  double clearance_m(std::size_t pair, double reach_m) const {
    return skin_.clearance_m(pair, *pose_, reach_m);
  }

  /// Metric world_from_node of the base with other changes, one per limb; the skin stays.
  std::vector<Affine> worldsWith(std::span<const LimbChange> changes) const;

  /// Metric world_from_node of the base, without changes.
  std::span<const Affine> baseWorlds() const { return base_worlds_; }
  const std::vector<LimbChange>& changes() const { return changes_; }
  /// The local transforms of the base, and of the pose with its changes.
  std::span<const Transform> baseLocals() const { return base_.locals; }
  std::span<const Transform> locals() const { return locals_; }
  /// Position of a node in the base, and in the pose with its changes, metres.
  Vec3 basePositionOf(int node) const { return base_worlds_[toSize(node)].translation; }
  Vec3 positionOf(int node) const;

 private:
  std::vector<Transform> localsWith(std::span<const LimbChange> changes) const;
  void computeChanged();

  const Scene& scene_;
  const penetration::SelfPenetration& skin_;
  const LimbPoser& poser_;
  std::shared_ptr<penetration::SelfPenetration::Pose> pose_;
  PoseSpans base_;
  std::vector<Affine> base_worlds_;
  std::vector<LimbChange> changes_;
  std::vector<Transform> locals_;
  std::vector<Affine> file_worlds_;
};

}  // namespace clipmill::stages::self_collision
