// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/math.h"

/// Contact of a joint's sphere with spheres and capsules, docs/methods.md, dynamic bones, step 3.
/// All in metric world space, metres.
namespace clipmill::stages::dynamic_bones {

/// A capsule from `head` to `tail`; a sphere where both are the same point.
struct WorldCollider {
  Vec3 head{0.0};
  Vec3 tail{0.0};
  double radius_m = 0.0;
  Vec3 middle{0.0};      ///< Of the axis.
  double reach_m = 0.0;  ///< Everything of the collider is within this distance of `middle`.
};

/// The collider from `head` to `tail`.
WorldCollider makeCollider(const Vec3& head, const Vec3& tail, double radius_m);

/// The point of the collider's axis nearest to `point`: its projection where that falls between the
/// ends, else the nearer end.
Vec3 nearestOnAxis(const WorldCollider& collider, const Vec3& point);

/// Penetration depth of a sphere at `center` in the collider [m]; negative if they are apart.
double penetration(const WorldCollider& collider, const Vec3& center, double radius_m);

/// `center` moved straight away from `other` until the spheres are in contact, c1' = c2 + (r1 +
/// r2)(c1 - c2)/|c1 - c2|; unchanged where they do not overlap. Concentric spheres separate along
/// `fallback`.
Vec3 pushOutOfSphere(const Vec3& center, double radius_m, const Vec3& other, double other_radius_m,
                     const Vec3& fallback);

/// pushOutOfSphere from the nearest point of the collider's axis.
Vec3 pushOut(const WorldCollider& collider, const Vec3& center, double radius_m,
             const Vec3& fallback);

/// `point` at `length_m` from `head` in the direction it has, pos' = pos_p + len (pos - pos_p)/|pos
/// - pos_p| (step 2); along `fallback` (any length, else +Y) where point and head coincide.
Vec3 restoreLength(const Vec3& head, const Vec3& point, double length_m, const Vec3& fallback);

/// Moves `point` out of the colliders one after another, each time restoring its distance from
/// `head_m` (step 3); `all[i]` for each i of `indices`. A collider may be entered again by the
/// length correction, never with more penetration depth than the point had before
/// that collider's step.
Vec3 avoidColliders(const std::vector<WorldCollider>& all, const std::vector<int>& indices,
                    const Vec3& head_m, Vec3 point, double length_m, double radius_m);

}  // namespace clipmill::stages::dynamic_bones
