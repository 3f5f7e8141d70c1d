// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/moving_solid.h"

#include <cmath>
#include <limits>

namespace clipmill::stages::dynamic_bones {

RigidPose poseAt(const MovingSolid& solid, double time) {
  if (time >= 1.0) return solid.now;
  if (time <= 0.0) return solid.before;
  return {solid.arc.at(time),
          solid.before.position + (solid.now.position - solid.before.position) * time};
}

double leastRadius_m(const Solid& solid) {
  if (solid.shape == ColliderShape::kPlane || solid.inside) {
    return std::numeric_limits<double>::infinity();
  }
  if (solid.shape == ColliderShape::kBox) {
    const Vec3 half = glm::abs(solid.half_size);
    return std::min({half.x, half.y, half.z});
  }
  if (solid.shape == ColliderShape::kSphere) return solid.head_radius_m;
  return std::min(solid.head_radius_m, solid.tail_radius_m);
}

void encloseMotion(MovingSolid& moving) {
  const Solid& solid = *moving.solid;
  moving.posed = poseSolid(solid, moving.now);
  moving.posed_before = poseSolid(solid, moving.before);
  moving.arc = Arc(moving.before.rotation, moving.now.rotation);
  moving.shift_m = glm::length(moving.now.position - moving.before.position);
  const Quat rotation = moving.now.rotation * glm::conjugate(moving.before.rotation);
  moving.rotation = 2.0 * glm::length(Vec3(rotation.x, rotation.y, rotation.z));
  moving.middle = moving.posed.middle;
  moving.reach_m = std::numeric_limits<double>::infinity();
  if (solid.shape == ColliderShape::kPlane || solid.inside) return;

  Vec3 own_middle = solid.head;
  double radius_m = solid.head_radius_m;
  if (solid.shape == ColliderShape::kCapsule) {
    own_middle = (solid.head + solid.tail) * 0.5;
    radius_m = 0.5 * glm::length(solid.tail - solid.head) +
               std::max(solid.head_radius_m, solid.tail_radius_m);
  } else if (solid.shape == ColliderShape::kBox) {
    radius_m = glm::length(solid.half_size);
  }
  const Vec3 before = moving.before.toWorld(own_middle), now = moving.now.toWorld(own_middle);
  moving.middle = (before + now) * 0.5;
  // If the solid rotates, its middle moves on an arc, whose distance from the chord is less than
  // half the chord.
  const Vec3 rotated = moving.now.rotation * own_middle - moving.before.rotation * own_middle;
  moving.reach_m = radius_m + 0.5 * (glm::length(now - before) + glm::length(rotated));
}

PathCapsule pathCapsuleOf(const MovingSolid& moving) {
  const Solid& solid = *moving.solid;
  PathCapsule capsule;
  capsule.head = moving.middle;
  capsule.radius_m = capsule.body_m = moving.reach_m;
  const bool is_round =
      solid.shape == ColliderShape::kSphere || solid.shape == ColliderShape::kCapsule;
  if (!is_round || solid.inside) return capsule;
  const bool is_sphere = solid.shape == ColliderShape::kSphere;
  const Vec3 own_tail = is_sphere ? solid.head : solid.tail;
  const Vec3 tail = moving.now.toWorld(own_tail);
  capsule.head = moving.now.toWorld(solid.head);
  capsule.axis = tail - capsule.head;
  const double square = glm::dot(capsule.axis, capsule.axis);
  capsule.inverse_square = square > 0.0 ? 1.0 / square : 0.0;
  // Ends move on arcs of less than 180 degrees.
  const double path_m = std::max(glm::length(capsule.head - moving.before.toWorld(solid.head)),
                                 glm::length(tail - moving.before.toWorld(own_tail)));
  capsule.body_m =
      is_sphere ? solid.head_radius_m : std::max(solid.head_radius_m, solid.tail_radius_m);
  capsule.radius_m = capsule.body_m + kArcOverChord * path_m;
  return capsule;
}

}  // namespace clipmill::stages::dynamic_bones
