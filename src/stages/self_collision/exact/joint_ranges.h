// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/math.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"
#include "stages/self_collision/exact/limb_pose.h"

namespace clipmill::stages::self_collision {

/// The angles of a limb that have a range.
enum class LimbAngle {
  kShoulderSwing,     ///< Of the upper arm from the direction between lateral and forward.
  kShoulderRotation,  ///< About the upper arm; positive is outwards (lateral).
  kElbowFlexion,      ///< In the plane of the hinge; 0 is straight, negative is hyperextension.
  kElbowSideways,     ///< Out of that plane.
  kForearmRotation,   ///< Supination of the hand relative to the upper arm; negative is pronation.
  kWristBend,         ///< Flexion and deviation, as the flexion that uses as much of its range.
  kKneeFlexion,
  kKneeSideways,
};
inline constexpr std::size_t kLimbAngleCount = 8;

/// Radians, by LimbAngle; 0 where a limb has no such angle, NaN where the pose leaves it
/// undetermined.
using LimbAngles = std::array<double, kLimbAngleCount>;

/// The range of an angle, radians.
struct AngleRange {
  double min_rad = 0.0, max_rad = 0.0;
};

/// The anatomical range of an angle: the mean active range of 109 men in Boone and Azen, "Normal
/// range of motion of joints in male subjects", J. Bone Joint Surg. 61-A, 1979, and 10 degrees
/// more, for the differences between people and between active and passive motion. The cone of the
/// shoulder is the narrowest about its axis that holds extension and horizontal motion of that
/// table. Sideways, elbows and knees have what carrying angles differ by.
AngleRange anatomicalRange(LimbAngle angle);

/// How a change of an angle uses its range.
struct RangeUse {
  double ratio = 0.0;      ///< Of what the source leaves: 1 is at the end of the range.
  double left_rad = 0.0;   ///< What the source leaves to that end.
  double moved_rad = 0.0;  ///< The change, -pi..pi.
  LimbAngle angle = LimbAngle::kShoulderSwing;
};

/// The use of the range of one angle; ratio 0 where either pose leaves it undetermined. An angle of
/// the source that is beyond its range may go farther out by 0.5 degrees.
RangeUse useOfRange(LimbAngle angle, const LimbAngles& source, const LimbAngles& changed);

/// That of the angle with the largest ratio.
RangeUse largestUseOfRanges(const LimbAngles& source, const LimbAngles& changed);

/// Measures the angles of limbs. Zero is the bind pose, seen from the body's own axes; no T-pose is
/// assumed. The plane in which elbow and knee flex is that in which they are bent at bind. If they
/// are straight there, elbows point backwards and knees forwards, and the angle sideways is
/// undetermined. The hand at bind is neutral: its thumb is on the side to which the elbow flexes.
class JointRanges {
 public:
  /// `scene` and `poser` must outlive it.
  JointRanges(const Scene& scene, const humanoid::HumanoidMap& map, const LimbPoser& poser);

  /// The angles of a limb whose joints and body are at `worlds`, one a node, world_from_node.
  LimbAngles anglesOf(std::size_t limb, std::span<const Affine> worlds) const;

  /// The joint of a limb that has the angle.
  int jointOf(std::size_t limb, LimbAngle angle) const;

 private:
  // A limb in the bind pose. Directions are in world space.
  struct BoundLimb {
    Mat3 body_inverse{1.0}, upper_inverse{1.0}, lower_inverse{1.0}, end_inverse{1.0};
    Vec3 upper_axis{0.0}, lower_axis{0.0};  // from joint to joint
    Vec3 flexion{0.0}, hinge{0.0};  // to where the limb flexes, normal to upper_axis; about this
    bool has_plane = false;         // bent enough to state it
  };

  std::optional<BoundLimb> bind(std::size_t limb, std::span<const Affine> bind_pose) const;
  void addArm(std::size_t limb, std::span<const Affine> worlds, LimbAngles& angles) const;

  const LimbPoser& poser_;
  humanoid::BodyAxes axes_;                      // at bind
  std::vector<std::optional<BoundLimb>> limbs_;  // none for degenerate ones
};

}  // namespace clipmill::stages::self_collision
