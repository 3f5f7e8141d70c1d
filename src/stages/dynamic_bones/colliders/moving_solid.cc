// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/moving_solid.h"

#include <cmath>
#include <limits>

namespace clipmill::bones {

Place placeAt(const MovingSolid& solid, double time) {
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

void encloseWay(MovingSolid& moving) {
  const Solid& solid = *moving.solid;
  moving.placed = placeSolid(solid, moving.now);
  moving.placed_before = placeSolid(solid, moving.before);
  moving.arc = Arc(moving.before.rotation, moving.now.rotation);
  moving.shift_m = glm::length(moving.now.position - moving.before.position);
  const Quat turn = moving.now.rotation * glm::conjugate(moving.before.rotation);
  moving.turn = 2.0 * glm::length(Vec3(turn.x, turn.y, turn.z));
  moving.middle = moving.placed.middle;
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
  // Where the solid turns, its middle runs on an arc, off the chord by less than half the chord.
  const Vec3 turned = moving.now.rotation * own_middle - moving.before.rotation * own_middle;
  moving.reach_m = radius_m + 0.5 * (glm::length(now - before) + glm::length(turned));
}

WayCapsule wayCapsuleOf(const MovingSolid& moving) {
  const Solid& solid = *moving.solid;
  WayCapsule capsule;
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
  // Ends run on arcs, shorter than half a turn.
  const double way_m = std::max(glm::length(capsule.head - moving.before.toWorld(solid.head)),
                                glm::length(tail - moving.before.toWorld(own_tail)));
  capsule.body_m =
      is_sphere ? solid.head_radius_m : std::max(solid.head_radius_m, solid.tail_radius_m);
  capsule.radius_m = capsule.body_m + kArcOverChord * way_m;
  return capsule;
}

}  // namespace clipmill::bones
