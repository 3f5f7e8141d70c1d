// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/collider.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Unit vector of `v`, else of `fallback`, else +Y.
Vec3 directionOf(const Vec3& v, const Vec3& fallback) {
  const double length = lengthOf(v);
  if (length > 0.0) return v / length;
  const double other = lengthOf(fallback);
  return other > 0.0 ? fallback / other : Vec3(0, 1, 0);
}

// True where no part of the sphere can be inside the collider; cheap.
bool isFarFrom(const WorldCollider& collider, const Vec3& center, double radius_m) {
  const Vec3 apart = center - collider.middle;
  const double reach_m = collider.reach_m + radius_m;
  return glm::dot(apart, apart) > reach_m * reach_m;
}

}  // namespace

WorldCollider makeCollider(const Vec3& head, const Vec3& tail, double radius_m) {
  return {head, tail, radius_m, (head + tail) * 0.5, 0.5 * lengthOf(tail - head) + radius_m};
}

Vec3 nearestOnAxis(const WorldCollider& collider, const Vec3& point) {
  const Vec3 axis = collider.tail - collider.head;
  const double square = glm::dot(axis, axis);
  if (!(square > 0.0)) return collider.head;
  const double along = glm::dot(point - collider.head, axis) / square;
  return collider.head + axis * std::clamp(along, 0.0, 1.0);
}

double penetration(const WorldCollider& collider, const Vec3& center, double radius_m) {
  return collider.radius_m + radius_m - lengthOf(center - nearestOnAxis(collider, center));
}

Vec3 pushOutOfSphere(const Vec3& center, double radius_m, const Vec3& other, double other_radius_m,
                     const Vec3& fallback) {
  const double reach = radius_m + other_radius_m;
  const Vec3 apart = center - other;
  if (!(glm::dot(apart, apart) < reach * reach)) return center;
  return other + directionOf(apart, fallback) * reach;
}

Vec3 pushOut(const WorldCollider& collider, const Vec3& center, double radius_m,
             const Vec3& fallback) {
  return pushOutOfSphere(center, radius_m, nearestOnAxis(collider, center), collider.radius_m,
                         fallback);
}

Vec3 restoreLength(const Vec3& head, const Vec3& point, double length_m, const Vec3& fallback) {
  return head + directionOf(point - head, fallback) * length_m;
}

Vec3 avoidColliders(const std::vector<WorldCollider>& all, const std::vector<int>& indices,
                    const Vec3& head_m, Vec3 point, double length_m, double radius_m) {
  for (int index : indices) {
    const WorldCollider& collider = all[toSize(index)];
    if (isFarFrom(collider, point, radius_m)) continue;
    const Vec3 bone = point - head_m;
    const Vec3 pushed = pushOut(collider, point, radius_m, bone);
    if (pushed != point) point = restoreLength(head_m, pushed, length_m, bone);
  }
  return point;
}

}  // namespace clipmill::stages::dynamic_bones
