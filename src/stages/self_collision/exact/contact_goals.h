// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "penetration/body_skin.h"
#include "retarget/contact_goals.h"
#include "scene/scene.h"
#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/limb_groups.h"

namespace clipmill::stages::self_collision {

/// The skin of one pose, on which distances from contact goals are measured.
class GoalPose {
 public:
  /// All must outlive it.
  GoalPose(const Scene& scene, const LimbPoser& poser, const retarget::ClipContacts& contacts);

  /// Sets a pose at a time of the clip; `changes` has one per limb.
  void set(double time_s, const PoseSpans& base, std::span<const LimbChange> changes);

  /// From the point of the arm to where it belongs on the other part, in world space; none where
  /// the goal is not in contact at the time.
  std::optional<Vec3> missing_m(const retarget::ContactGoal& goal) const;
  /// Other changes of one limb in the pose that was set.
  void setLimb(std::size_t limb, const PoseSpans& base, const LimbChange& change);
  /// Metric world_from_node, without the changes.
  std::span<const Affine> baseWorlds() const { return base_worlds_; }
  /// The arm that a goal moves; limbCount() for none.
  std::size_t limbOf(const retarget::ContactGoal& goal) const;

 private:
  const Scene& scene_;
  const LimbPoser& poser_;
  const retarget::ClipContacts& contacts_;
  double height_m_ = 0.0;
  std::vector<Transform> locals_;
  double time_s_ = 0.0;
  std::vector<Affine> base_worlds_, file_worlds_;
  penetration::BodySkin::Pose skin_;
};

/// Sets of layers that move the arms so that corresponding points are in contact: rotations of
/// shoulders, flexions of elbows and rotations of hands, or one motion of both hands where they
/// hold one thing, that follow cubic B-splines over the contacts and ease before and after them.
/// The splines follow the goals as closely as the jerk limit allows and leave some of it to other
/// corrections; the limits of the pose hold at every contact. The sets differ in the depth to which
/// they resolve penetration, and in whether hands rotate. Their envelopes are computed. None where
/// no goal can be followed so.
std::vector<std::vector<CorrectionLayer>> goalCandidates(ClipContext& clip,
                                                         const retarget::ClipContacts& contacts,
                                                         std::span<const PairGroup> groups);

/// Of a motion: the mean and the largest distance of contact points from their goals, over all
/// contacts and frames.
struct GoalErrors {
  std::size_t count = 0;
  double mean_m = 0.0, max_m = 0.0;
};
GoalErrors goalErrors(const Scene& scene, const LimbPoser& poser,
                      const retarget::ClipContacts& contacts, const Motion& motion);

}  // namespace clipmill::stages::self_collision
