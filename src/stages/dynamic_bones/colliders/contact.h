// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "stages/dynamic_bones/colliders/limit.h"
#include "stages/dynamic_bones/colliders/moving_solid.h"

/// Contacts of bones with solids for the methods on a fixed grid. A bone is a tapered capsule from
/// its head to its end. Solids move during the step. The result is on the sphere of the bone's
/// length about its head, so that contact and length hold together. Metric world space, metres.
namespace clipmill::stages::dynamic_bones {

/// A bone is swept if its path in a step, relative to a solid, exceeds this share of the thickness.
inline constexpr double kCoreShare = 0.5;
/// Least thickness that is assumed for a solid.
inline constexpr double kThinnest_m = 2e-4;

/// Penetration depth of a tapered capsule from `head` to `end` in the solid at `pose`; negative if
/// they are apart. Contacts cannot move the head. If the head penetrates the solid, the result is
/// the depth of the end, or the amount by which the depth of some part exceeds that of the head.
double penetration(const Solid& solid, const RigidPose& pose, const Vec3& head, const Vec3& end,
                   double head_radius_m, double end_radius_m);
/// The same for a posed solid.
double penetration(const PosedSolid& solid, const Vec3& head, const Vec3& end, double head_radius_m,
                   double end_radius_m);

/// A bone in one step.
struct BoneStep {
  Vec3 head_before, head;  ///< Where it starts, before and after the step.
  Vec3 end_before, end;    ///< Where it ends: before the step, and where forces take it.
  double length_m = 0.0;   ///< Of the bone after the step; `end` already keeps it.
  double head_radius_m = 0.0;
  double end_radius_m = 0.0;
  double friction = 0.0;     ///< Coulomb's coefficient.
  double restitution = 0.0;  ///< 0..1
  PosedLimit limit;
};

/// The bone's end after contacts.
struct ContactResult {
  /// At length_m from the head, within the limit, outside of all solids if possible.
  Vec3 end{0.0};
  /// end - end_before is the path for the next step, after friction and restitution.
  Vec3 end_before{0.0};
  bool has_contact = false;
  double remaining_m = 0.0;  ///< Penetration that remains because of the limit or the head.
};

/// Moves the end of a bone out of `solids`, for which encloseMotion() was called. The bone is swept
/// relative to the motion of each solid, so that it does not pass through (except through solids
/// thinner than 1/400 of that motion). Its length and its limit are kept; friction and restitution
/// change its path. At most four rounds, largest penetration first; the limit is applied last.
/// `can_pass`: false if the bone is known to be too slow to pass through any of them.
ContactResult resolveContacts(std::span<const MovingSolid* const> solids, const BoneStep& bone,
                              bool can_pass = true);

}  // namespace clipmill::stages::dynamic_bones
