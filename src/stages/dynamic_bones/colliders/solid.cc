// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/solid.h"

#include <algorithm>
#include <cmath>

namespace clipmill::bones {
namespace {

// Below this share of its length a vector has lost its direction to rounding.
constexpr double kTinyShare = 1e-9;

// The axis to which `direction` is least aligned.
Vec3 crossAxisOf(const Vec3& direction) {
  const Vec3 size = glm::abs(direction);
  if (size.x <= size.y && size.x <= size.z) return Vec3(1, 0, 0);
  return size.y <= size.z ? Vec3(0, 1, 0) : Vec3(0, 0, 1);
}

SignedDistance turnedInside(const TaperPoint& nearest, bool inside) {
  if (inside) return {-nearest.distance_m, -nearest.away};
  return {nearest.distance_m, nearest.away};
}

// A sphere inside the other end's sphere leaves only that one.
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

PlacedSolid placeSolid(const Solid& solid, const Place& place) {
  PlacedSolid placed;
  placed.shape = solid.shape;
  placed.inside = solid.inside;
  placed.middle = place.toWorld(solid.head);
  switch (solid.shape) {
    case ColliderShape::kSphere:
      placed.taper = Taper(placed.middle, placed.middle, solid.head_radius_m, solid.head_radius_m);
      break;
    case ColliderShape::kCapsule:
      placed.taper =
          Taper(placed.middle, place.toWorld(solid.tail), solid.head_radius_m, solid.tail_radius_m);
      break;
    case ColliderShape::kBox:
      placed.axes = glm::mat3_cast(place.rotation * solid.rotation);
      placed.half_size = glm::abs(solid.half_size);
      break;
    case ColliderShape::kPlane:
      placed.normal = place.rotation * solid.normal;
      break;
  }
  return placed;
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

SignedDistance signedDistance(const PlacedSolid& solid, const Vec3& point) {
  switch (solid.shape) {
    case ColliderShape::kSphere:
    case ColliderShape::kCapsule:
      return turnedInside(nearestOnTaper(solid.taper, point), solid.inside);
    case ColliderShape::kBox: {
      const SignedDistance own = boxDistance(solid.half_size, (point - solid.middle) * solid.axes);
      return {own.distance_m, solid.axes * own.away};
    }
    case ColliderShape::kPlane:
      break;
  }
  return {glm::dot(point - solid.middle, solid.normal), solid.normal};
}

SignedDistance signedDistance(const Solid& solid, const Place& place, const Vec3& point) {
  return signedDistance(placeSolid(solid, place), point);
}

}  // namespace clipmill::bones
