// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/math.h"

namespace clipmill {

/// How far a bone may rotate away from its rest direction. Directions are seen in the limit's own
/// axes, in which the rest direction is +Y: the axes of the joint rotated by the shortest arc from
/// +Y to the bone at rest, then by `rotation` (VRMC_springBone_limit, draft).
struct AngleLimit {
  enum class Kind {
    kNone,
    kCone,       ///< Within `angle_rad` of +Y.
    kHinge,      ///< In the YZ plane, within `angle_rad` of +Y.
    kSpherical,  ///< Pitch about X within `angle_rad`, yaw within `yaw_rad`.
    kPlanar,     ///< In the YZ plane, at any angle.
  };
  Kind kind = Kind::kNone;
  double angle_rad = 0.0;  ///< 0..pi
  double yaw_rad = 0.0;    ///< 0..pi/2
  Quat rotation = kIdentityRotation;
};

/// What a spring avoids, or stays inside of. Vectors are in the axes and units of `node`.
struct SpringCollider {
  enum class Kind { kSphere, kCapsule, kPlane };
  int node = 0;  ///< Index in Skeleton::nodes.
  Kind kind = Kind::kSphere;
  bool inside = false;  ///< Sphere and capsule: the joint is kept inside.
  Vec3 offset{0.0};     ///< Centre, first end, or a point of the plane.
  Vec3 tail{0.0};       ///< Second end of a capsule.
  Vec3 normal{0.0, 0.0, 1.0};
  double radius = 0.0;
};

struct SpringColliderGroup {
  std::string name;
  std::vector<int> colliders;  ///< Indices in SpringSetup::colliders.
};

/// Parameters of the bone from this joint to the next one of its chain.
struct SpringJoint {
  int node = 0;  ///< Index in Skeleton::nodes.
  double stiffness = 1.0;
  double gravity_power = 0.0;
  Vec3 gravity_dir{0.0, -1.0, 0.0};
  double drag = 0.5;
  double hit_radius = 0.0;
  AngleLimit limit;
};

/// Joints from the root to the tip; each is a descendant of the one before, not always its child.
/// The last one has no bone, unless `tail_length_m` is above 0: then a virtual tip is that far
/// beyond it, along its own local translation (VRM 0.x).
struct SpringChain {
  std::string name;
  std::vector<SpringJoint> joints;
  std::vector<int> collider_groups;  ///< Indices in SpringSetup::groups.
  int center = -1;                   ///< Node in whose space the springs move, or -1 for the world.
  double tail_length_m = 0.0;
};

/// Springs that a file declares for its own engine.
struct SpringSetup {
  enum class Kind { kNone, kVrm1, kVrm0 };
  Kind kind = Kind::kNone;
  std::vector<SpringCollider> colliders;
  std::vector<SpringColliderGroup> groups;
  std::vector<SpringChain> chains;
};

}  // namespace clipmill
