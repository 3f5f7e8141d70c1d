// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/turn_out.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace clipmill::bones {
namespace {

// A gap that counts as touching when a bone comes back from too far out.
constexpr double kGap_m = 1e-8;
// Unit vectors nearer to each other than this are the same direction.
constexpr double kSameDirection = 1e-7;
constexpr int kMostNewtonSteps = 8;
constexpr int kMostHalvings = 60;
constexpr int kMostPairSteps = 12;
// A touch nearer to the head than this share of the bone is no lever to turn it by.
constexpr double kLeastLever = 1e-6;

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

// The largest cosine between a bone and the way to a sphere's centre, `way_m` from its head, at
// which they do not overlap. The end keeps out by the law of cosines. Where the head is out, a
// touch before the end has the normal N from bone to centre with N.u = -growth / length and N.c =
// (R + r_head) / way; where it is not, no part may be deeper than the head.
double cosineOutsideSphere(const Taper& bone, double sphere_radius_m, double way_m) {
  const double length_m = bone.length_m;
  const double end_m = sphere_radius_m + bone.radiusAt(1.0);
  const double at_end =
      (way_m * way_m + length_m * length_m - end_m * end_m) / (2.0 * way_m * length_m);
  const double chi = -bone.growth_m / length_m;
  if (!(std::abs(chi) < 1.0)) return at_end;
  const double psi = (sphere_radius_m + bone.head_radius_m) / way_m;
  if (psi >= 1.0) return std::min(at_end, chi);
  const double at_side = chi * psi + std::sqrt((1.0 - chi * chi) * (1.0 - psi * psi));
  const double along = (way_m * at_side - chi * psi * way_m) / (length_m * (1.0 - chi * chi));
  return along < 1.0 ? at_side : at_end;
}

BoneShape turnedOutOfSphere(const PlacedSolid& sphere, const BoneShape& bone, const Vec3& hint) {
  const Vec3 to_center = sphere.taper.head - bone.head;
  const double way_m = glm::length(to_center);
  const double radius_m = sphere.taper.head_radius_m;
  const Vec3 direction = bone.direction();
  if (!(way_m > kTouching_m)) return bone;  // every direction is as good
  const Vec3 axis = to_center / way_m;
  if (sphere.inside) {
    const double room_m = std::max(radius_m - bone.end_radius_m, 0.0);
    const double least = (way_m * way_m + bone.length_m * bone.length_m - room_m * room_m) /
                         (2.0 * way_m * bone.length_m);
    return bone.pointing(atCosine(direction, axis, least, hint));
  }
  const double most = cosineOutsideSphere(bone.taper(), radius_m, way_m);
  return bone.pointing(atCosine(direction, axis, most, hint));
}

// The bone turned so that its touching sphere leaves the plane that touches the solid there.
// Nothing where no direction does.
std::optional<BoneShape> turnedOutOfTangent(const BoneShape& bone, const Touch& touched,
                                            const Vec3& hint) {
  const double lever_m = bone.length_m * touched.along;
  if (!(touched.along > kLeastLever)) return std::nullopt;
  const Vec3 direction = bone.direction();
  const double cosine = glm::dot(direction, touched.away) - touched.distance_m / lever_m;
  if (cosine > 1.0) return std::nullopt;
  return bone.pointing(atCosine(direction, touched.away, cosine, hint));
}

// How far a bone is out; 0 and no measure where its head is what touches, which no turn changes.
struct Gap {
  double distance_m = 0.0;
  bool is_measure = true;
};

Gap gapOf(const PlacedSolid& solid, const BoneShape& bone) {
  const Touch touched = touch(solid, bone);
  return {touched.distance_m, touched.along > 0.0};
}

// Between a bone that reaches in and one that does not: where it just touches, on the shorter arc
// between the two (regula falsi, Illinois; halving where the head touches).
BoneShape touchBetween(const PlacedSolid& solid, const BoneShape& bone, const Vec3& inner,
                       const Vec3& outer, const Vec3& hint) {
  Vec3 low = inner, high = outer;
  Gap gap = gapOf(solid, bone.pointing(high));
  double low_weight = touch(solid, bone.pointing(low)).distance_m, high_weight = gap.distance_m;
  bool was_low = false, was_high = false;
  for (int step = 0; step < kMostHalvings; ++step) {
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
    const bool is_low = here.distance_m < -kTouching_m;
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

// The direction in which the bone is best out of a convex solid, or best within a concave one.
BoneShape bestWayOut(const PlacedSolid& solid, const BoneShape& bone) {
  BoneShape best = bone.pointing(signedDistance(solid, bone.head).away);
  if (!solid.inside) return best;
  double best_m = touch(solid, best).distance_m;
  for (const double t : {0.0, 1.0}) {
    const Vec3 way = solid.taper.at(t) - bone.head;
    const double length = glm::length(way);
    if (!(length > 0.0)) continue;
    const BoneShape other = bone.pointing(way / length);
    const double other_m = touch(solid, other).distance_m;
    if (other_m > best_m) {
      best = other;
      best_m = other_m;
    }
  }
  return best;
}

TurnedBone turnedOutByNewton(const PlacedSolid& solid, const BoneShape& bone, const Touch& first,
                             const Vec3& hint) {
  BoneShape now = bone;
  Touch touched = first;
  Vec3 inner = bone.direction();
  std::optional<Vec3> outer;
  for (int step = 0; step < kMostNewtonSteps; ++step) {
    const auto next = turnedOutOfTangent(now, touched, hint);
    if (!next) break;
    now = *next;
    touched = touch(solid, now);
    if (touched.distance_m >= -kTouching_m && touched.distance_m <= kGap_m) {
      return {now, touched};
    }
    (touched.distance_m < 0.0 ? inner : outer.emplace()) = now.direction();
  }
  if (!outer) {
    const BoneShape best = bestWayOut(solid, bone);
    const Touch there = touch(solid, best);
    if (there.distance_m < -kTouching_m) return {best, there};
    outer = best.direction();
  }
  return {touchBetween(solid, bone, inner, *outer, hint), {}};
}

// The unit vector with cosines `a_cosine` and `b_cosine` to two unit vectors that is nearer to
// `direction`; the nearest to having them where there is none.
Vec3 atCosines(const Vec3& a, double a_cosine, const Vec3& b, double b_cosine,
               const Vec3& direction) {
  const double between = glm::dot(a, b);
  const double square = 1.0 - between * between;
  if (!(square > 1e-12)) return direction;
  const Vec3 in_plane = a * ((a_cosine - between * b_cosine) / square) +
                        b * ((b_cosine - between * a_cosine) / square);
  const double rest = 1.0 - glm::dot(in_plane, in_plane);
  if (!(rest > 0.0)) return in_plane / glm::length(in_plane);
  const Vec3 normal = glm::cross(a, b);
  const double sign = glm::dot(normal, direction) < 0.0 ? -1.0 : 1.0;
  return in_plane + normal * (sign * std::sqrt(rest / square));
}

}  // namespace

TurnedBone turnedOut(const PlacedSolid& solid, const BoneShape& bone, const Touch& first,
                     const Vec3& hint) {
  if (first.distance_m >= -kTouching_m || !(bone.length_m > 0.0)) return {bone, first};
  if (solid.shape == ColliderShape::kSphere) return {turnedOutOfSphere(solid, bone, hint), {}};
  if (solid.shape == ColliderShape::kPlane) {
    // Only the end can be what is below the plane, and the plane is its own tangent.
    return {turnedOutOfTangent(bone, first, hint).value_or(bone.pointing(solid.normal)), {}};
  }
  return turnedOutByNewton(solid, bone, first, hint);
}

BoneShape turnedOutOfBoth(const PlacedSolid& a, const PlacedSolid& b, const BoneShape& bone) {
  BoneShape now = bone;
  BoneShape best = bone;
  double best_m = -std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMostPairSteps && bone.length_m > 0.0; ++step) {
    const Touch at_a = touch(a, now);
    const Touch at_b = touch(b, now);
    const double least_m = std::min(at_a.distance_m, at_b.distance_m);
    const double most_m = std::max(at_a.distance_m, at_b.distance_m);
    if (least_m >= -kTouching_m && most_m <= kGap_m) return now;
    if (least_m > best_m) {
      best = now;
      best_m = least_m;
    }
    if (!(at_a.along > kLeastLever && at_b.along > kLeastLever)) break;
    const Vec3 direction = now.direction();
    const double a_cosine =
        glm::dot(direction, at_a.away) - at_a.distance_m / (at_a.along * bone.length_m);
    const double b_cosine =
        glm::dot(direction, at_b.away) - at_b.distance_m / (at_b.along * bone.length_m);
    now = now.pointing(atCosines(at_a.away, a_cosine, at_b.away, b_cosine, direction));
  }
  return best;
}

}  // namespace clipmill::bones
