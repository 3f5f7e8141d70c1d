// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"
#include "stages/dynamic_bones/settings.h"

/// Solids that bones avoid, and the distance of points from them. Metric world space, metres.
namespace clipmill::stages::dynamic_bones {

/// A solid in its own axes.
struct Solid {
  ColliderShape shape = ColliderShape::kSphere;
  bool inside = false;         ///< Sphere and capsule: the bone stays inside.
  Vec3 head{0.0};              ///< Centre, first end, or a point of the plane.
  Vec3 tail{0.0};              ///< Second end of a capsule.
  double head_radius_m = 0.0;  ///< A capsule's radii differ where it is tapered.
  double tail_radius_m = 0.0;
  Vec3 half_size{0.0};                ///< Boxes.
  Quat rotation = kIdentityRotation;  ///< Boxes: own axes from the box's.
  Vec3 normal{0.0, 1.0, 0.0};         ///< Planes: unit length, towards the free side.
};

/// A rigid transform in metric world space.
struct RigidPose {
  Quat rotation = kIdentityRotation;
  Vec3 position{0.0};

  Vec3 toWorld(const Vec3& own) const { return position + rotation * own; }
  Vec3 toOwn(const Vec3& world) const { return glm::conjugate(rotation) * (world - position); }
};

/// The rigid part of an affine transform.
inline RigidPose rigidPoseOf(const Affine& world) { return {rotationOf(world), world.translation}; }

/// All points within a radius of a segment, where the radius runs evenly from one end to the other:
/// the convex hull of two spheres. A bone is one, a capsule another.
struct Taper {
  Taper() = default;
  Taper(const Vec3& head_end, const Vec3& tail_end, double head_radius, double tail_radius);

  Vec3 head{0.0};
  Vec3 axis{0.0};              ///< From head to tail.
  Vec3 direction{0.0};         ///< The same, of unit length; zero where the ends coincide.
  double length_m = 0.0;       ///< Of the axis.
  double head_radius_m = 0.0;  ///< At the head.
  double growth_m = 0.0;       ///< Radius at the tail less that at the head.

  Vec3 at(double along) const { return head + axis * along; }
  double radiusAt(double along) const { return head_radius_m + growth_m * along; }
};

/// Of all spheres along a taper, the one whose surface is nearest to a point.
struct TaperPoint {
  double along = 0.0;        ///< 0 at the head, 1 at the tail.
  double distance_m = 0.0;   ///< Of the point from that surface, negative inside.
  Vec3 away{0.0, 1.0, 0.0};  ///< From the sphere's centre to the point, unit length.
};

/// The exact signed distance of `point` from the taper: the least over all its spheres, which a
/// line tangent to both end spheres attains (the distance is convex along the axis).
TaperPoint nearestOnTaper(const Taper& taper, const Vec3& point);

/// A solid in metric world space.
struct PosedSolid {
  ColliderShape shape = ColliderShape::kSphere;
  bool inside = false;
  Taper taper;                 ///< Spheres and capsules.
  Vec3 middle{0.0};            ///< Of a box; a point of a plane.
  Mat3 axes{1.0};              ///< Of a box.
  Vec3 half_size{0.0};         ///< Of a box.
  Vec3 normal{0.0, 1.0, 0.0};  ///< Of a plane.
};
PosedSolid poseSolid(const Solid& solid, const RigidPose& pose);

/// Signed distance of a point from a solid's surface, negative where a bone is not allowed
/// (outside, for hollow solids), and the direction of its steepest ascent, of unit length.
struct SignedDistance {
  double distance_m = 0.0;
  Vec3 away{0.0, 1.0, 0.0};
};
SignedDistance signedDistance(const PosedSolid& solid, const Vec3& point);
SignedDistance signedDistance(const Solid& solid, const RigidPose& pose, const Vec3& point);

/// Signed distance from a box about the origin with edges along the axes; `away` likewise.
SignedDistance boxDistance(const Vec3& half_size, const Vec3& point);

/// A unit vector normal to the unit vector `direction`, in the plane of `hint` where that is not
/// along it.
Vec3 normalTo(const Vec3& direction, const Vec3& hint);

}  // namespace clipmill::stages::dynamic_bones
