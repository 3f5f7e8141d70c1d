// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/math.h"
#include "humanoid/body_parts.h"
#include "humanoid/humanoid.h"
#include "locomotion/foot_contacts.h"
#include "scene/scene.h"
#include "stages/self_collision/body_frame.h"

namespace clipmill::stages::self_collision {

/// The joints of an arm or a leg that the stage may rotate.
struct MovableLimb {
  std::string name;  ///< "left arm"
  bool is_leg = false;
  locomotion::BodySide side = locomotion::BodySide::kLeft;
  int clavicle = -1;  ///< Of arms that have one.
  int upper = -1;
  int lower = -1;
  int end = -1;  ///< Hand or foot; `lower` where there is none.
  std::array<humanoid::BodyPart, 2>
      parts{};  ///< Upper and lower; the skin that moves with the limb.

  bool hasEnd() const { return end != lower; }
  std::vector<int> joints() const;  ///< Clavicle, upper, lower and end, without missing ones.
};

/// Arms and legs of which the map names upper and lower, each below the one before, with or without
/// an end. Limbs without one rotate as a whole and are never shifted.
std::vector<MovableLimb> movableLimbs(const Skeleton& skeleton, const humanoid::HumanoidMap& map);

/// A change of a limb's pose that can be added and scaled. Vectors are along the lateral, up and
/// forward axes of the body, which move with the chest (arms) or the hips (legs). Rotations are
/// rotation vectors in radians. The members apply in this order.
struct LimbChange {
  Vec3 clavicle_rotation{0.0};  ///< Of the clavicle, with everything below it.
  Vec3 rotation{0.0};           ///< Of the rigid limb about shoulder or hip.
  /// Of both rigid arms about the line through both shoulders, radians; positive raises arms that
  /// are forward. Arms with equal values keep the transform of one hand relative to the other, and
  /// elbows and wrists keep their rotations.
  double pitch = 0.0;
  Vec3 shift{0.0};  ///< Of wrist or ankle by two-bone IK, in lengths of the straight limb.
  /// Of both hands as one rigid body, about the midpoint of the wrists, and then along the axes in
  /// mean lengths of the straight arms; by two-bone IK. Arms with equal values, and else only a
  /// swivel, keep the transform of one hand relative to the other.
  Vec3 grip_rotation{0.0}, grip_shift{0.0};
  double swivel = 0.0;     ///< Of elbow or knee about the line from shoulder to wrist, radians.
  Vec3 end_rotation{0.0};  ///< Of the hand alone.
  /// Of elbow or knee, radians, with everything below it; before all others. A constant one keeps
  /// the changes of the joint over time, and with them its jerk.
  double flexion = 0.0;

  LimbChange& operator+=(const LimbChange& other);
  LimbChange operator*(double amount) const;
  bool movesGrip() const { return grip_rotation != Vec3(0.0) || grip_shift != Vec3(0.0); }
  bool operator==(const LimbChange&) const = default;
};

inline const LimbChange kNoChange{};

/// Applies limb changes to poses of one character.
class LimbPoser {
 public:
  /// `scene` must outlive it.
  LimbPoser(const Scene& scene, const humanoid::HumanoidMap& map,
            std::span<const MovableLimb> limbs);

  const MovableLimb& limb(std::size_t i) const { return limbs_[i]; }
  std::size_t limbCount() const { return limbs_.size(); }

  /// The axes of a limb's changes in the pose, as columns lateral, up, forward; none where a
  /// degenerate transform leaves no axes. `metric_worlds`: world_from_node.
  std::optional<Mat3> axesOf(std::size_t limb, std::span<const Affine> metric_worlds) const;

  /// The node that these axes move with: chest or hips.
  int axesNodeOf(std::size_t limb) const { return axes_nodes_[limbs_[limb].is_leg ? 1 : 0]; }

  /// The arms with a hand: left and right; none where one of them has none.
  const std::optional<std::array<std::size_t, 2>>& hands() const { return hands_; }

  /// The rotation of both arms by LimbChange::pitch, in world space; `metric_worlds` holds the
  /// unchanged pose. Identity for a character without two hands.
  Affine pitchMotion(const LimbChange& change, std::span<const Affine> metric_worlds) const;

  /// The rigid motion of both hands that a change makes, in world space. `axes`: of axesOf();
  /// `metric_worlds` holds the unchanged pose. Identity for a character without two hands.
  /// That includes the pitch.
  Affine gripMotion(const LimbChange& change, const Mat3& axes,
                    std::span<const Affine> metric_worlds) const;

  /// Writes the changed rotations of the limb's joints into `locals`. On entry, `locals` and
  /// `metric_worlds` hold the unchanged pose. The hand keeps its world orientation under swivel and
  /// shift and follows rotations; the foot always keeps it. kNoChange writes nothing.
  void apply(std::size_t limb, const LimbChange& change, std::span<const Affine> metric_worlds,
             std::span<Transform> locals) const;

 private:
  // After the pitch.
  Affine handsMotion(const LimbChange& change, const Mat3& axes, const Affine& pitch,
                     std::span<const Affine> metric_worlds) const;

  std::vector<AttachedAxes> axes_;  // of the chest and of the hips
  std::array<int, 2> axes_nodes_{-1, -1};
  const Scene& scene_;
  std::vector<MovableLimb> limbs_;  // none where the map has no chest and hips
  std::optional<std::array<std::size_t, 2>> hands_;
  double arm_length_m_ = 0.0;  // mean of both arms at rest
};

/// The rotation of a rotation vector, radians.
Quat rotationOfVector(const Vec3& vector_rad);

/// The rotation vector of a rotation, radians, of length pi at most.
Vec3 vectorOfRotation(const Quat& rotation);

}  // namespace clipmill::stages::self_collision
