// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/math.h"
#include "stages/dynamic_bones/springs/spring_lanes.h"

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
struct RodPointLanes {
  Vec3Lanes position_m, velocity_mps, algorithmic_mps2, acceleration_mps2;

  void assign(std::size_t count);
  void setStill(std::size_t i, const Vec3& position, const Vec3& velocity);
};

struct SymmetricLanes {
  Column xx, yy, zz, xy, xz, yz;

  void assign(std::size_t count);
};

/// Energy of a body as a function of the displacement u of its head and the rotation w of what it
/// hangs on, to second order: 1/2 uAu + uBw + 1/2 wCw + push u + torque w.
struct RodResponseLanes {
  SymmetricLanes a;
  Mat3Lanes b;
  SymmetricLanes c;
  Vec3Lanes push, torque;

  void assign(std::size_t count);
};

/// Planes that points of bones are held on.
struct RodHoldLanes {
  static constexpr int kNone = -1;

  std::vector<int> source;  ///< Index of a solid, or kNone.
  Vec3Lanes normal;         ///< Unit length; zero where nothing is held.
  Column share;             ///< Where on the bone the point is: 0 at its head, 1 at its end.
  Column offset_m;          ///< Of the plane along the normal.
  Column speed_mps;         ///< Of the solid along the normal.
  Column friction;

  void assign(std::size_t count);
};

/// Joints that hang on one clamped joint, and that joint.
struct RodTree {
  int chain = 0;
  std::vector<std::size_t> joints;  ///< Of the rig, ascending.
  std::size_t batch = 0, lane = 0;
  double rigidity = 0.0;
  double angular_radps = 0.0;  ///< Of the first mode.
  double damping_ratio = 0.0;  ///< Of the first mode, with the drag of the air.
  bool is_limp = false;        ///< Gravity swings it, not its stiffness.
  double decay_per_s = 0.0;    ///< Of a swing of the first mode.
  bool is_mirrored = false;
  bool is_stiffened = false;
  bool is_new = true;  ///< The head has no velocity yet.
};

/// Trees of one shape side by side: values of a joint, a bone and a tree are at kLaneBlock times
/// its index plus the tree's lane. Where chains differ in length, the shorter ones end in bones
/// without length and mass.
struct RodBatch {
  struct Joint {
    int parent_bone = -1;
    int parent_joint = -1;
    std::size_t bones_start = 0, bones_end = 0;
    bool is_straight = true;          ///< `between` is the identity in all lanes.
    bool is_aimed_as_carried = true;  ///< `aim` is `carried`, in all lanes.

    bool isFork() const { return bones_end - bones_start != 1; }
  };
  std::vector<Joint> joints;
  std::size_t bone_count = 0;
  bool has_forks = false;
  std::size_t level = 0;           ///< Of the clamped joints, in SpringLayout::levels.
  std::vector<std::size_t> trees;  ///< By lane.
  std::vector<int> rig_bones;      ///< By bone and lane; -1: there is none.
  std::vector<int> joints_at_end;  ///< By bone: how many hang on it.

  static std::size_t at(std::size_t index, std::size_t lane) { return index * kLaneBlock + lane; }

  // Joints.
  Column exists;          ///< 1 where the tree of the lane has the joint, else 0.
  Column stiffness;       ///< Moment by a unit of strain.
  Column damping_s;       ///< Moment by a unit of strain rate, over the stiffness.
  Vec3Lanes rest_moment;  ///< Bears the weight in the bind pose; axes of the parent.
  // The pose, in the axes of the parent.
  QuatLanes rolled;   ///< The joint's rotation before it swings.
  QuatLanes drawn;    ///< The joint's rotation in the target pose.
  QuatLanes between;  ///< From the joint above to the parent of this one.
  // The state. Strain is the axis of the bend times 4 tan(angle / 4), in the axes of the parent.
  Vec3Lanes strain, strain_before;
  // The step at work.
  QuatLanes world_from_parent, world_from_joint;
  Vec3Lanes next_strain, moment, rotation;
  Vec3Lanes bend;            ///< Axis of the bend times tan(angle / 2).
  Vec3Lanes axis_1, axis_2;  ///< Normal to the bone, where there is one.
  Vec3Lanes pull_1, pull_2, spin_1, spin_2;
  Column give_11, give_12, give_22, load_1, load_2;
  Mat3Lanes pull;             ///< The same for joints with several bones.
  SymmetricLanes spin, give;  ///< The same for joints with several bones.
  Vec3Lanes load;             ///< The same for joints with several bones.

  // Bones.
  Column length_m, mass, air_drag_per_s, gravity_mps2;
  Column head_drag_per_s;  ///< Rate at which the end loses speed relative to the clamped head.
  Vec3Lanes wind_mps2;
  // The pose, unit vectors in the axes of the joint's parent, and of the joint.
  Vec3Lanes carried, aim, in_joint;
  RodPointLanes end;  ///< State.
  // The step at work.
  Vec3Lanes direction;
  RodPointLanes next;
  Vec3Lanes predicted_m;   ///< Position without the new acceleration.
  Vec3Lanes deficit_mps2;  ///< The acceleration minus what gravity, wind and air give.
  Vec3Lanes displacement;
  RodResponseLanes hanging;  ///< Of the joints at its end.
  std::array<RodHoldLanes, 2> holds;
  bool is_held = false;          ///< Whether one of the bones is held.
  std::uint32_t open_lanes = 0;  ///< Bit k: the tree of lane k is to be solved with its holds.
  RodPointLanes free;            ///< `next` without holds.

  // Trees.
  RodPointLanes head, next_head;  ///< Of the clamped joints; `next_head` starts as a position.
  Vec3Lanes head_deficit_mps2;
  Column tree_mass;
  // The share of the rest moments that counts only near the bind orientation, the direction up of
  // the world there in the axes of the clamped joint's parent, and the share that counts now.
  Column passing_share;
  Vec3Lanes bind_up;
  Column rest_share;
  Column solid_speed_mps;     ///< The largest of solids that hold points.
  Column is_unsolved;         ///< 1 where the last solution with holds did not converge, else 0.
  QuatLanes world_from_base;  ///< The axes of the clamped joints' parents.

  /// Sets the number of all values; to those of bones without length and mass.
  void allocate();
};

struct RodSystem {
  std::vector<RodTree> trees;
  std::vector<RodBatch> batches;
  std::vector<std::size_t> tree_of_joint;  ///< One a joint of the rig.
  // Where each bone of the rig is.
  struct Location {
    std::size_t batch = 0, at = 0;
  };
  std::vector<Location> location_of_bone;
};

}  // namespace clipmill::stages::dynamic_bones
