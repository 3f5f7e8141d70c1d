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

namespace clipmill::stages::self_collision {

/// Whether a goal is in contact at a time of the clip.
bool isInContact(const retarget::ContactGoal& goal, double time_s);

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
  /// Of a grip: the rotation vector by which the left hand misses its rotation relative to the
  /// right one in the unchanged pose, in world space, radians.
  Vec3 missingRotation_rad() const;
  /// How far the elbow of an arm is about the line from shoulder to hand from where the shortest
  /// rotation of that line would put it, radians; less where the arm is nearly straight.
  double swivel_rad(std::size_t limb) const;
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
  std::vector<Affine> base_worlds_, file_worlds_, unchanged_file_worlds_;
  penetration::BodySkin::Pose skin_;
};

/// Of a motion: the mean and the largest distance of contact points from their goals, over all
/// contacts and frames.
struct GoalErrors {
  std::size_t count = 0;
  double mean_m = 0.0, max_m = 0.0;
};
GoalErrors goalErrors(const Scene& scene, const LimbPoser& poser,
                      const retarget::ClipContacts& contacts, const Motion& motion);

}  // namespace clipmill::stages::self_collision
