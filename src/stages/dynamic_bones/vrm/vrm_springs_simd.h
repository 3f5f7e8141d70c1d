// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stages/dynamic_bones/springs/lane_limits.h"

/// One time step of the springs of VRM files, several chains at once: the lanes of a vector hold
/// the joints of one depth of different chains. Every lane does the same operations in the same
/// order whatever the width of the machine's vectors, without fused or approximate ones: the bits
/// of the result do not depend on the machine, nor on what the other lanes hold.
namespace clipmill::stages::dynamic_bones {

/// An affine map of every lane.
struct LaneAffine {
  Lanes linear[9];  ///< Columns: linear[3 * column + row].
  Lanes translation[3];
};

/// One bone of each lane, with the joint that rotates it. "Parent axes" are those of the joint's
/// parent node. Lanes without such a bone hold an idle bone that is not read.
struct BoneLanes {
  // Of the rig
  Lanes real;     ///< 1 where the lane has this bone, else 0.
  Lanes axis[3];  ///< From the joint to its bone's end at rest, joint's axes; unit or zero.
  Lanes half_rotation[3];  ///< Some unit vector normal to axis.
  Lanes rest_rotation[4];  ///< w, x, y, z: the joint's rest rotation.
  Lanes rest_frame[9];     ///< The same as a matrix.
  Lanes length_m, radius_m;
  // Of the step
  Lanes kept;         ///< Share of the last displacement that goes on.
  Lanes stiffness_m;  ///< Displacement towards rest.
  Lanes gravity_m[3];
  Lanes translation[3], scale[3], inverse_scale[3];  ///< The joint's own, now.
  Lanes rest_bone[3];                                ///< rest_frame * (scale * axis)
  std::unique_ptr<LaneAffine> link;  ///< From parent axes to those of the joint before, if another
                                     ///< node is between the two.
  std::unique_ptr<LaneLimits> limits;
  // State, in the chain's center space
  Lanes tail_m[3], before_m[3];
  // Result
  Lanes rotation[4];  ///< w, x, y, z: the joint's local rotation.
};

/// A collider that some lanes of a block avoid.
struct BlockCollider {
  std::size_t index = 0;
  Lanes avoids;  ///< 1 for the lanes that do, else 0.
};

/// Up to kSpringLanes chains.
struct SpringBlock {
  std::vector<BoneLanes> bones;  ///< By depth.
  std::vector<BlockCollider> colliders;
  LaneAffine world;  ///< Before a step, of the first joint's parent; changed by it.
  std::unique_ptr<LaneAffine> world_from_center, center_from_world;  ///< Null where no lane has one
};

/// A collider in the world.
struct StepCollider {
  enum class Kind { kSphere, kCapsule, kInsideSphere, kInsideCapsule, kPlane };
  Kind kind = Kind::kSphere;
  double head_m[3] = {};
  double axis_m[3] = {};           ///< Capsules: to the other end. Planes: the unit normal.
  double inverse_square_m2 = 0.0;  ///< Capsules: 1 / |axis|^2, 0 where that is 0.
  double radius_m = 0.0;
};

/// Moves all bones of the blocks by one step. Returns how many were reset to their rest direction
/// because their position was not finite.
std::size_t stepSpringBlocks(std::span<SpringBlock> blocks,
                             std::span<const StepCollider> colliders);

}  // namespace clipmill::stages::dynamic_bones
