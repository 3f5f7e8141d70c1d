// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/two_bone_ik.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/smooth_step.h"

namespace clipmill {
namespace {

// A middle joint this far off the straight line, as a share of the limb's length, has a plane of
// its own; below half of it the plane is not worth following.
constexpr double kWellBent = 0.05;

// The part of `v` normal to the unit vector `axis`.
Vec3 normalPart(const Vec3& v, const Vec3& axis) { return v - axis * glm::dot(v, axis); }

// A direction normal to the unit vector `axis`: that of `v`, or any where `v` has none.
Vec3 normalDirection(const Vec3& v, const Vec3& axis) {
  const Vec3 normal = normalPart(v, axis);
  const double length = lengthOf(normal);
  if (length > 0.0) return normal / length;
  const Vec3 other = std::abs(axis.x) < 0.6 ? Vec3(1, 0, 0) : Vec3(0, 1, 0);
  const Vec3 any = glm::cross(axis, other);
  return any / lengthOf(any);
}

// `distance` where it is at most `exact`, then ever more slowly towards `longest`.
double softened(double distance, double exact, double longest) {
  if (distance <= exact) return distance;
  const double margin = longest - exact;
  if (!(margin > 0.0)) return std::min(distance, longest);
  return exact + margin * (1.0 - portable::exp(-(distance - exact) / margin));
}

// The direction in which the middle joint leaves the line from root to end: that of the limb as it
// was, `carried` (of length `bend`), or `forward` where that determines little about a bend of
// `new_bend`. Both are normal to `axis`; all lengths are shares of the limb's length.
Vec3 bendDirection(const Vec3& carried, double bend, double new_bend, const Vec3& forward,
                   const Vec3& axis) {
  if (!(bend > 0.0)) return forward;
  const double is_bent = smoothStep(2.0 * bend / kWellBent - 1.0);
  const double is_kept = 1.0 - smoothStep(std::abs(new_bend - bend) / kWellBent);
  const double share = std::max(is_bent, is_kept);
  if (share >= 1.0) return carried;
  const double angle_rad =
      portable::atan2(glm::dot(glm::cross(forward, carried), axis), glm::dot(forward, carried));
  return rotationAbout(axis, share * angle_rad) * forward;
}

}  // namespace

TwoBoneReach reachWithTwoBones(const TwoBoneLimb& limb, const Vec3& target, double soft) {
  TwoBoneReach reach;
  reach.middle = limb.middle;
  reach.end = limb.end;
  reach.short_by = lengthOf(target - limb.end);
  const Vec3 upper = limb.middle - limb.root, lower = limb.end - limb.middle;
  const double a = lengthOf(upper), b = lengthOf(lower), longest = a + b;
  if (!(a > 0.0) || !(b > 0.0)) return reach;

  const Vec3 to_end = limb.end - limb.root, to_target = target - limb.root;
  const double present = lengthOf(to_end), wanted = lengthOf(to_target);
  const Vec3 axis = present > 0.0 ? to_end / present : upper / a;
  const Vec3 new_axis = wanted > 0.0 ? to_target / wanted : axis;
  const double exact = std::max(longest - soft, std::min(present, longest));
  const double distance = std::max(softened(wanted, exact, longest), std::abs(a - b));

  const Quat swing =
      rotationBetween(axis, new_axis, glm::cross(axis, normalDirection(limb.forward, axis)));
  const double along =
      distance > 0.0 ? (a * a + distance * distance - b * b) / (2.0 * distance) : 0.0;
  const double new_bend = std::sqrt(std::max(0.0, a * a - along * along));
  const Vec3 off_line = normalPart(upper, axis);
  const Vec3 aside =
      bendDirection(normalDirection(swing * off_line, new_axis), lengthOf(off_line) / longest,
                    new_bend / longest, normalDirection(swing * limb.forward, new_axis), new_axis);

  const Vec3 new_upper = new_axis * along + aside * new_bend;
  const Vec3 new_lower = new_axis * distance - new_upper;
  const Vec3 hinge = glm::cross(new_axis, aside);
  reach.upper_rotation = rotationBetween(swing * upper, new_upper, hinge) * swing;
  reach.lower_rotation = rotationBetween(swing * lower, new_lower, hinge) * swing;
  reach.middle = limb.root + new_upper;
  reach.end = limb.root + new_axis * distance;
  reach.short_by = lengthOf(target - reach.end);
  return reach;
}

Quat rotationInParent(const Affine& world_from_parent, const Quat& world_rotation) {
  const Transform parent = decompose(world_from_parent);
  const Vec3 vector =
      glm::conjugate(parent.rotation) * Vec3(world_rotation.x, world_rotation.y, world_rotation.z);
  // Seen in a mirror a rotation goes in the opposite sense about the mirrored axis; the mirror
  // plane is normal to x.
  const double sign = parent.scale.x < 0.0 ? -1.0 : 1.0;
  return Quat(world_rotation.w, vector.x, sign * vector.y, sign * vector.z);
}

Quat rotatedInWorld(const Affine& world_from_parent, const Quat& carried_by,
                    const Quat& world_rotation, const Quat& rotation) {
  const Affine parent = {glm::mat3_cast(carried_by) * world_from_parent.linear, Vec3(0.0)};
  return normalizedOrIdentity(rotationInParent(parent, world_rotation) *
                              normalizedOrIdentity(rotation));
}

}  // namespace clipmill
