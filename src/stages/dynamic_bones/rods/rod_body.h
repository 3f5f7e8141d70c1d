// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/math.h"

/// The state of elastic rods: trees of rigid bones with bending springs at their joints.
///
/// A joint's rotation is the unknown. With one bone it swings without twist (the shortest arc from
/// the pose that its parent carries), so that it has two degrees of freedom; a joint where several
/// bones start has three. Lengths are exact by construction. All vectors are in metric world space
/// unless they name another.
namespace clipmill::stages::dynamic_bones {

/// A point in time: position, velocity, and the two accelerations of the generalized-alpha method
/// (`algorithmic` is the a, `acceleration` the derivative of v that fulfils the equation of
/// motion).
struct RodPoint {
  Vec3 position_m{0.0}, velocity_mps{0.0}, algorithmic_mps2{0.0}, acceleration_mps2{0.0};
};

/// Energy of a body as a function of the displacement u of its head and the rotation w of what it
/// hangs on, to second order: 1/2 uAu + uBw + 1/2 wCw + push u + torque w.
struct RodResponse {
  Mat3 a{0.0}, b{0.0}, c{0.0};
  Vec3 push{0.0}, torque{0.0};
};

struct RodJoint {
  int parent_bone = -1;
  int parent_joint = -1;
  std::size_t tree = 0;
  std::size_t bones_start = 0, bones_end = 0;
  double stiffness = 0.0;  ///< Moment by a unit of strain.
  double damping_s = 0.0;  ///< Moment by a unit of strain rate, over the stiffness.
  Vec3 rest_moment{0.0};   ///< Bears the weight in the bind pose; axes of the parent.
  // The pose, in the axes of the parent.
  Quat rolled = kIdentityRotation;   ///< The joint's rotation before it swings.
  Quat drawn = kIdentityRotation;    ///< The joint's rotation in the target pose.
  Quat between = kIdentityRotation;  ///< From the joint above to the parent of this one.
  bool is_straight = false;          ///< `between` is the identity.
  // The state. Strain is the axis of the bend times 4 tan(angle / 4), in the axes of the parent.
  Vec3 strain{0.0}, strain_before{0.0};
  // The step at work.
  Quat world_from_parent = kIdentityRotation, world_from_joint = kIdentityRotation;
  Vec3 next_strain{0.0}, moment{0.0};
  Vec3 axis_1{0.0}, axis_2{0.0};  ///< Normal to the bone, where there is one.
  Vec3 pull_1{0.0}, pull_2{0.0}, spin_1{0.0}, spin_2{0.0};
  double give_11 = 0.0, give_12 = 0.0, give_22 = 0.0, load_1 = 0.0, load_2 = 0.0;
  Mat3 give{0.0}, pull{0.0}, spin{0.0};  ///< The same for a joint with several bones.
  Vec3 load{0.0};
  Vec3 rotation{0.0};

  bool isFork() const { return bones_end - bones_start != 1; }
};

struct RodBone {
  int joint = 0;
  double length_m = 0.0;
  double mass = 0.0;
  double air_drag_per_s = 0.0;
  Vec3 gravity_mps2{0.0}, wind_mps2{0.0};
  // The pose, unit vectors in the axes of the joint's parent, and of the joint.
  Vec3 carried{0, 1, 0}, aim{0, 1, 0}, in_joint{0, 1, 0};
  bool is_aimed_as_carried = true;
  RodPoint end;  ///< State.
  // The step at work.
  Vec3 direction{0, 1, 0};
  RodPoint next;
  Vec3 predicted_m{0.0};   ///< Position without the new acceleration.
  Vec3 deficit_mps2{0.0};  ///< The acceleration minus what gravity, wind and air give.
  Vec3 displacement{0.0};
  RodResponse hanging;  ///< Of the joints at its end.
};

/// Joints that hang on one clamped joint, and that joint; ascending.
struct RodTree {
  int chain = 0;
  std::vector<std::size_t> joints;
  RodPoint head;       ///< Of the clamped joint.
  bool is_new = true;  ///< The head has no velocity yet.
  Vec3 head_deficit_mps2{0.0};
  RodPoint next_head;
  double rigidity = 0.0;
  bool is_mirrored = false;
  bool is_stiffened = false;
};

struct RodSystem {
  std::vector<RodJoint> joints;  ///< As Rig::joints.
  std::vector<RodBone> bones;    ///< As Rig::bones.
  std::vector<RodTree> trees;
};

}  // namespace clipmill::stages::dynamic_bones
