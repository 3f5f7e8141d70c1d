// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/solid.h"

#include <algorithm>
#include <cmath>

namespace clipmill::stages::dynamic_bones {
namespace {

// Below this share of its length the direction of a vector is rounding error.
constexpr double kTinyShare = 1e-9;

// The axis to which `direction` is least aligned.
Vec3 crossAxisOf(const Vec3& direction) {
  const Vec3 size = glm::abs(direction);
  if (size.x <= size.y && size.x <= size.z) return Vec3(1, 0, 0);
  return size.y <= size.z ? Vec3(0, 1, 0) : Vec3(0, 0, 1);
}

SignedDistance invertedIfInside(const TaperPoint& nearest, bool inside) {
  if (inside) return {-nearest.distance_m, -nearest.away};
  return {nearest.distance_m, nearest.away};
}

// If one end's sphere contains the other, only the larger one counts.
TaperPoint nearestOnLargerEnd(const Taper& taper, const Vec3& point) {
  const double along = taper.growth_m > 0.0 ? 1.0 : 0.0;
  const Vec3 apart = point - taper.at(along);
  const double distance_m = glm::length(apart);
  const Vec3 away = distance_m > 0.0 ? apart / distance_m : Vec3(0, 1, 0);
  return {along, distance_m - taper.radiusAt(along), away};
}

}  // namespace

Vec3 normalTo(const Vec3& direction, const Vec3& hint) {
  for (const Vec3& other : {hint, crossAxisOf(direction)}) {
    const Vec3 across = other - direction * glm::dot(direction, other);
    const double square = glm::dot(across, across);
    if (square > kTinyShare * kTinyShare * glm::dot(other, other)) {
      return across / std::sqrt(square);
    }
  }
  return Vec3(0, 1, 0);  // only where `direction` is no direction
}

Taper::Taper(const Vec3& head_end, const Vec3& tail_end, double head_radius, double tail_radius)
    : head(head_end),
      axis(tail_end - head_end),
      length_m(glm::length(axis)),
      head_radius_m(head_radius),
      growth_m(tail_radius - head_radius) {
  if (length_m > 0.0) direction = axis / length_m;
}

TaperPoint nearestOnTaper(const Taper& taper, const Vec3& point) {
  if (!(std::abs(taper.growth_m) < taper.length_m)) return nearestOnLargerEnd(taper, point);
  // Along the axis at x and beside it at y, |p - c(t)| - r(t) is stationary at x + k y / cos,
  // where k = sin of the angle between the side and the axis.
  const double sine = taper.growth_m / taper.length_m;
  const double cosine = std::sqrt(1.0 - sine * sine);
  const Vec3 from_head = point - taper.head;
  const double x_m = glm::dot(from_head, taper.direction);
  double shift_m = 0.0;
  if (sine != 0.0) shift_m = sine * glm::length(from_head - taper.direction * x_m) / cosine;
  const double along_m = std::clamp(x_m + shift_m, 0.0, taper.length_m);
  const double along = along_m / taper.length_m;
  const Vec3 apart = from_head - taper.direction * along_m;
  const double distance_m = glm::length(apart);
  if (distance_m > 0.0) return {along, distance_m - taper.radiusAt(along), apart / distance_m};
  const Vec3 out = normalTo(taper.direction, Vec3(0.0));
  return {along, -taper.radiusAt(along), out * cosine - taper.direction * sine};
}

PosedSolid poseSolid(const Solid& solid, const RigidPose& pose) {
  PosedSolid posed;
  posed.shape = solid.shape;
  posed.inside = solid.inside;
  posed.middle = pose.toWorld(solid.head);
  switch (solid.shape) {
    case ColliderShape::kSphere:
      posed.taper = Taper(posed.middle, posed.middle, solid.head_radius_m, solid.head_radius_m);
      break;
    case ColliderShape::kCapsule:
      posed.taper =
          Taper(posed.middle, pose.toWorld(solid.tail), solid.head_radius_m, solid.tail_radius_m);
      break;
    case ColliderShape::kBox:
      posed.axes = glm::mat3_cast(pose.rotation * solid.rotation);
      posed.half_size = glm::abs(solid.half_size);
      break;
    case ColliderShape::kPlane:
      posed.normal = pose.rotation * solid.normal;
      break;
  }
  return posed;
}

SignedDistance boxDistance(const Vec3& half_size, const Vec3& point) {
  const Vec3 beyond = glm::abs(point) - half_size;
  const Vec3 side(point.x < 0.0 ? -1.0 : 1.0, point.y < 0.0 ? -1.0 : 1.0,
                  point.z < 0.0 ? -1.0 : 1.0);
  const Vec3 outside = glm::max(beyond, Vec3(0.0));
  const double distance_m = glm::length(outside);
  if (distance_m > 0.0) return {distance_m, outside * side / distance_m};
  if (beyond.x >= beyond.y && beyond.x >= beyond.z) return {beyond.x, Vec3(side.x, 0, 0)};
  if (beyond.y >= beyond.z) return {beyond.y, Vec3(0, side.y, 0)};
  return {beyond.z, Vec3(0, 0, side.z)};
}

SignedDistance signedDistance(const PosedSolid& solid, const Vec3& point) {
  switch (solid.shape) {
    case ColliderShape::kSphere:
    case ColliderShape::kCapsule:
      return invertedIfInside(nearestOnTaper(solid.taper, point), solid.inside);
    case ColliderShape::kBox: {
      const SignedDistance own = boxDistance(solid.half_size, (point - solid.middle) * solid.axes);
      return {own.distance_m, solid.axes * own.away};
    }
    case ColliderShape::kPlane:
      break;
  }
  return {glm::dot(point - solid.middle, solid.normal), solid.normal};
}

SignedDistance signedDistance(const Solid& solid, const RigidPose& pose, const Vec3& point) {
  return signedDistance(poseSolid(solid, pose), point);
}

}  // namespace clipmill::stages::dynamic_bones
