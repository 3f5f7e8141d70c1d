// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "stages/dynamic_bones/limit.h"
#include "stages/dynamic_bones/settings.h"

/// Contacts of bones with solids for the methods on a fixed grid: a bone is a tapered capsule from
/// its head to its end, solids move during the step, and what is found is on the bone's sphere, so
/// that contact and length hold at once. Metric world space, metres.
namespace clipmill::bones {

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

/// A rigid place in metric world space.
struct Place {
  Quat rotation = kIdentityRotation;
  Vec3 position{0.0};
};

/// A solid at the begin and at the end of a step.
struct MovingSolid {
  const Solid* solid = nullptr;
  Place before, now;
  Vec3 middle{0.0};      ///< Of a sphere around the solid's way through the step.
  double reach_m = 0.0;  ///< Its radius; infinite for planes and inner sides.
};

/// Sets middle and reach_m from solid, before and now.
void encloseWay(MovingSolid& moving);

/// Signed distance of a point from a solid's surface, negative where a bone must not be (for inner
/// sides, outside of it), and the direction of its steepest ascent, of unit length.
struct SignedDistance {
  double distance_m = 0.0;
  Vec3 away{0.0, 1.0, 0.0};
};
SignedDistance signedDistance(const Solid& solid, const Place& place, const Vec3& point);

/// How deep a tapered capsule from `head` to `end` reaches into the solid at `place`; negative at
/// a distance. A head that lies in the solid itself does not count: nothing here can move it.
double penetration(const Solid& solid, const Place& place, const Vec3& head, const Vec3& end,
                   double head_radius_m, double end_radius_m);

/// A bone in one step.
struct BoneStep {
  Vec3 head_before, head;  ///< Where it begins, before and after the step.
  Vec3 end_before, end;    ///< Where it ends: before the step, and where forces take it.
  double length_m = 0.0;   ///< Of the bone after the step; `end` already keeps it.
  double head_radius_m = 0.0;
  double end_radius_m = 0.0;
  double friction = 0.0;     ///< Coulomb's coefficient.
  double restitution = 0.0;  ///< 0..1
  PlacedLimit limit;
};

/// What became of the bone's end.
struct ContactResult {
  Vec3 end{0.0};  ///< At length_m from the head, within the limit, out of all solids if it can.
  Vec3 end_before{0.0};  ///< Where it would have come from: end - end_before is the way on.
  bool touched = false;
  double left_m = 0.0;  ///< Penetration that could not be undone without breaking the limit.
};

/// Moves the end of a bone out of `solids`: swept along the step relative to each solid's motion so
/// that nothing is passed through, set on the bone's sphere, within the limit, with friction and
/// restitution taken from its way on. At most four rounds, deepest first.
ContactResult resolveContacts(std::span<const MovingSolid* const> solids, const BoneStep& bone);

}  // namespace clipmill::bones
