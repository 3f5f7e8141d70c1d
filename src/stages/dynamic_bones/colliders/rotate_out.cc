// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/rotate_out.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace clipmill::stages::dynamic_bones {
namespace {

// A gap up to this counts as contact when a bone is rotated back from outside.
constexpr double kGap_m = 1e-8;
// Unit vectors nearer to each other than this are the same direction.
constexpr double kSameDirection = 1e-7;
constexpr int kMaxRotationSteps = 8;
constexpr int kMaxBisections = 60;
constexpr int kMaxPairSteps = 12;
// A contact nearer to the head than this share of the bone cannot rotate it.
constexpr double kMinAlong = 1e-6;

// The unit vector in the plane of `direction` and `axis` (both of unit length), on the side of
// `direction`, whose cosine with `axis` is `cosine`.
Vec3 atCosine(const Vec3& direction, const Vec3& axis, double cosine, const Vec3& hint) {
  if (cosine >= 1.0) return axis;
  if (cosine <= -1.0) return -axis;
  const Vec3 across = direction - axis * glm::dot(direction, axis);
  const double square = glm::dot(across, across);
  const Vec3 beside = square > 1e-24 ? across / std::sqrt(square) : normalTo(axis, hint);
  return axis * cosine + beside * std::sqrt(1.0 - cosine * cosine);
}

// The largest cosine between a bone and the direction to a sphere's center, `center_m` from its
// head, at which they do not overlap. The law of cosines gives that for the end. If the head is
// outside, a contact before the end has the normal N from bone to center with N.u = -growth /
// length and N.c = (R + r_head) / center_m. If the head is inside, no part may have a larger depth
// than the head.
double cosineOutsideSphere(const Taper& bone, double sphere_radius_m, double center_m) {
  const double length_m = bone.length_m;
  const double end_m = sphere_radius_m + bone.radiusAt(1.0);
  const double at_end =
      (center_m * center_m + length_m * length_m - end_m * end_m) / (2.0 * center_m * length_m);
  const double chi = -bone.growth_m / length_m;
  if (!(std::abs(chi) < 1.0)) return at_end;
  const double psi = (sphere_radius_m + bone.head_radius_m) / center_m;
  if (psi >= 1.0) return std::min(at_end, chi);
  const double at_side = chi * psi + std::sqrt((1.0 - chi * chi) * (1.0 - psi * psi));
  const double along = (center_m * at_side - chi * psi * center_m) / (length_m * (1.0 - chi * chi));
  return along < 1.0 ? at_side : at_end;
}

BoneShape rotatedOutOfSphere(const PosedSolid& sphere, const BoneShape& bone, const Vec3& hint) {
  const Vec3 to_center = sphere.taper.head - bone.head;
  const double center_m = glm::length(to_center);
  const double radius_m = sphere.taper.head_radius_m;
  const Vec3 direction = bone.direction();
  if (!(center_m > kContactTolerance_m)) return bone;  // no direction is better than another
  const Vec3 axis = to_center / center_m;
  if (sphere.inside) {
    const double clearance_m = std::max(radius_m - bone.end_radius_m, 0.0);
    const double min_cosine =
        (center_m * center_m + bone.length_m * bone.length_m - clearance_m * clearance_m) /
        (2.0 * center_m * bone.length_m);
    return bone.pointing(atCosine(direction, axis, min_cosine, hint));
  }
  const double max_cosine = cosineOutsideSphere(bone.taper(), radius_m, center_m);
  return bone.pointing(atCosine(direction, axis, max_cosine, hint));
}

// The bone rotated so that its sphere in contact leaves the tangent plane of the solid there. Empty
// if no direction does.
std::optional<BoneShape> rotatedOutOfTangent(const BoneShape& bone, const BoneDistance& nearest,
                                             const Vec3& hint) {
  const double sensitivity_m = bone.length_m * nearest.along;
  if (!(nearest.along > kMinAlong)) return std::nullopt;
  const Vec3 direction = bone.direction();
  const double cosine = glm::dot(direction, nearest.away) - nearest.distance_m / sensitivity_m;
  if (cosine > 1.0) return std::nullopt;
  return bone.pointing(atCosine(direction, nearest.away, cosine, hint));
}

// Distance of a bone from a solid. Not a measure if its head is in contact, since a rotation cannot
// change that.
struct Gap {
  double distance_m = 0.0;
  bool is_measure = true;
};

Gap gapOf(const PosedSolid& solid, const BoneShape& bone) {
  const BoneDistance nearest = boneDistance(solid, bone);
  return {nearest.distance_m, nearest.along > 0.0};
}

// Between a direction that penetrates and one that does not: the first contact on the shorter arc
// between them (regula falsi, Illinois variant; bisection where the head is in contact).
BoneShape contactBetween(const PosedSolid& solid, const BoneShape& bone, const Vec3& inner,
                         const Vec3& outer, const Vec3& hint) {
  Vec3 low = inner, high = outer;
  Gap gap = gapOf(solid, bone.pointing(high));
  double low_weight = boneDistance(solid, bone.pointing(low)).distance_m,
         high_weight = gap.distance_m;
  bool was_low = false, was_high = false;
  for (int step = 0; step < kMaxBisections; ++step) {
    const Vec3 apart = high - low;
    const bool is_found = gap.is_measure ? gap.distance_m <= kGap_m
                                         : glm::dot(apart, apart) < kSameDirection * kSameDirection;
    if (is_found) break;
    const double secant = low_weight / (low_weight - high_weight);
    const bool halves = step % 3 == 2 || !gap.is_measure;
    const double share = halves ? 0.5 : std::clamp(secant, 0.01, 0.99);
    const Vec3 sum = low * (1.0 - share) + high * share;
    const double length = glm::length(sum);
    const Vec3 middle = length > 1e-6 ? sum / length : normalTo(low, hint);
    const Gap here = gapOf(solid, bone.pointing(middle));
    const bool is_low = here.distance_m < -kContactTolerance_m;
    if (is_low) {
      low = middle;
      low_weight = here.distance_m;
      if (was_low) high_weight *= 0.5;
    } else {
      high = middle;
      gap = here;
      high_weight = here.distance_m;
      if (was_high) low_weight *= 0.5;
    }
    was_low = is_low;
    was_high = !is_low;
  }
  return bone.pointing(high);
}

// The direction of least penetration: out of a convex solid, or within a hollow one.
BoneShape bestDirectionOut(const PosedSolid& solid, const BoneShape& bone) {
  BoneShape best = bone.pointing(signedDistance(solid, bone.head).away);
  if (!solid.inside) return best;
  double best_m = boneDistance(solid, best).distance_m;
  for (const double t : {0.0, 1.0}) {
    const Vec3 path = solid.taper.at(t) - bone.head;
    const double length = glm::length(path);
    if (!(length > 0.0)) continue;
    const BoneShape other = bone.pointing(path / length);
    const double other_m = boneDistance(solid, other).distance_m;
    if (other_m > best_m) {
      best = other;
      best_m = other_m;
    }
  }
  return best;
}

RotatedBone rotatedOutByNewton(const PosedSolid& solid, const BoneShape& bone,
                               const BoneDistance& first, const Vec3& hint) {
  BoneShape now = bone;
  BoneDistance nearest = first;
  Vec3 inner = bone.direction();
  std::optional<Vec3> outer;
  for (int step = 0; step < kMaxRotationSteps; ++step) {
    const auto next = rotatedOutOfTangent(now, nearest, hint);
    if (!next) break;
    now = *next;
    nearest = boneDistance(solid, now);
    if (nearest.distance_m >= -kContactTolerance_m && nearest.distance_m <= kGap_m) {
      return {now, nearest};
    }
    (nearest.distance_m < 0.0 ? inner : outer.emplace()) = now.direction();
  }
  if (!outer) {
    const BoneShape best = bestDirectionOut(solid, bone);
    const BoneDistance there = boneDistance(solid, best);
    if (there.distance_m < -kContactTolerance_m) return {best, there};
    outer = best.direction();
  }
  return {contactBetween(solid, bone, inner, *outer, hint), {}};
}

// The unit vector with cosines `a_cosine` and `b_cosine` to two unit vectors; of two solutions the
// one nearer to `direction`. If there is none, the best approximation.
Vec3 atCosines(const Vec3& a, double a_cosine, const Vec3& b, double b_cosine,
               const Vec3& direction) {
  const double between = glm::dot(a, b);
  const double square = 1.0 - between * between;
  if (!(square > 1e-12)) return direction;
  const Vec3 in_plane = a * ((a_cosine - between * b_cosine) / square) +
                        b * ((b_cosine - between * a_cosine) / square);
  const double remainder = 1.0 - glm::dot(in_plane, in_plane);
  if (!(remainder > 0.0)) return in_plane / glm::length(in_plane);
  const Vec3 normal = glm::cross(a, b);
  const double sign = glm::dot(normal, direction) < 0.0 ? -1.0 : 1.0;
  return in_plane + normal * (sign * std::sqrt(remainder / square));
}

}  // namespace

RotatedBone rotatedOut(const PosedSolid& solid, const BoneShape& bone, const BoneDistance& first,
                       const Vec3& hint) {
  if (first.distance_m >= -kContactTolerance_m || !(bone.length_m > 0.0)) return {bone, first};
  if (solid.shape == ColliderShape::kSphere) return {rotatedOutOfSphere(solid, bone, hint), {}};
  if (solid.shape == ColliderShape::kPlane) {
    // Only the end can be below the plane, and the plane is its own tangent.
    return {rotatedOutOfTangent(bone, first, hint).value_or(bone.pointing(solid.normal)), {}};
  }
  return rotatedOutByNewton(solid, bone, first, hint);
}

BoneShape rotatedOutOfBoth(const PosedSolid& a, const PosedSolid& b, const BoneShape& bone) {
  BoneShape now = bone;
  BoneShape best = bone;
  double best_m = -std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMaxPairSteps && bone.length_m > 0.0; ++step) {
    const BoneDistance at_a = boneDistance(a, now);
    const BoneDistance at_b = boneDistance(b, now);
    const double min_m = std::min(at_a.distance_m, at_b.distance_m);
    const double max_m = std::max(at_a.distance_m, at_b.distance_m);
    if (min_m >= -kContactTolerance_m && max_m <= kGap_m) return now;
    if (min_m > best_m) {
      best = now;
      best_m = min_m;
    }
    if (!(at_a.along > kMinAlong && at_b.along > kMinAlong)) break;
    const Vec3 direction = now.direction();
    const double a_cosine =
        glm::dot(direction, at_a.away) - at_a.distance_m / (at_a.along * bone.length_m);
    const double b_cosine =
        glm::dot(direction, at_b.away) - at_b.distance_m / (at_b.along * bone.length_m);
    now = now.pointing(atCosines(at_a.away, a_cosine, at_b.away, b_cosine, direction));
  }
  return best;
}

}  // namespace clipmill::stages::dynamic_bones
