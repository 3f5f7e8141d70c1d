// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "stages/dynamic_bones/colliders/solid.h"

/// Fits spheres and capsules to clouds of points. Any unit of length.
namespace clipmill::stages::dynamic_bones {

/// Share of the points inside a fitted solid.
inline constexpr double kHeldShare = 0.85;

/// A sphere about the middle of the points, without outliers.
Taper sphereThrough(std::span<const Vec3> points);

/// A tapered capsule along the segment from `head` to `tail`, moved sideways to the middle of the
/// points around it. Its radii follow the points around either half.
Taper capsuleAlong(const Vec3& head, const Vec3& tail, std::span<const Vec3> points);

/// A tapered capsule along the axis in which the points extend most.
Taper capsuleThrough(std::span<const Vec3> points);

/// How far the surface is from the points, on average.
double meanDistance(const Taper& taper, std::span<const Vec3> points);

}  // namespace clipmill::stages::dynamic_bones
