// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "stages/dynamic_bones/colliders/limit.h"
#include "stages/dynamic_bones/colliders/moving_solid.h"

/// Contacts of bones with solids for the methods on a fixed grid: a bone is a tapered capsule from
/// its head to its end, solids move during the step, and what is found is on the bone's sphere, so
/// that contact and length hold at once. Metric world space, metres.
namespace clipmill::bones {

/// A bone that goes farther than this share of a solid's thickness in a step, relative to it, is
/// swept.
inline constexpr double kCoreShare = 0.5;
/// What thinner solids count as.
inline constexpr double kThinnest_m = 2e-4;

/// How deep a tapered capsule from `head` to `end` reaches into the solid at `place`; negative at
/// a distance. A head that lies in the solid itself does not count, for nothing here can move it:
/// then it is the depth of the end, or that by which some part is deeper than the head.
double penetration(const Solid& solid, const Place& place, const Vec3& head, const Vec3& end,
                   double head_radius_m, double end_radius_m);
/// The same for a solid that is placed.
double penetration(const PlacedSolid& solid, const Vec3& head, const Vec3& end,
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

/// Moves the end of a bone out of `solids`, which encloseWay() has seen: swept along the step
/// relative to each solid's motion so that nothing is passed through (solids thinner than 1/400 of
/// that motion may be), set on the bone's sphere, within the limit, with friction and restitution
/// taken from its way on. At most four rounds, deepest first; the limit has the last word.
/// `can_pass`: false where it is known that the bone is too slow to pass any of them.
ContactResult resolveContacts(std::span<const MovingSolid* const> solids, const BoneStep& bone,
                              bool can_pass = true);

}  // namespace clipmill::bones
