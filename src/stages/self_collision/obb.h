// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"

namespace clipmill::stages::self_collision {

/// A box with any orientation.
struct Obb {
  Vec3 center{0.0};
  Mat3 axes{1.0};  ///< Columns are its unit axes, at right angles to each other.
  Vec3 half{0.0};  ///< Half its extent along each axis; 0 for a flat one.
};

struct Sphere {
  Vec3 center{0.0};
  double radius = 0.0;
};

/// The box around points along the principal axes of their covariance.
Obb principalObb(std::span<const Vec3> points);

/// A box around points with a small surface: first along the principal axes of the points, then
/// rotated about each of its axes as long as that makes it smaller. For no points, an empty box at
/// the origin.
Obb fitObb(std::span<const Vec3> points);

/// The smallest sphere about the mean of the points that contains all of them.
Sphere fitSphere(std::span<const Vec3> points);

/// The box in another space: the same box if `map` is a similarity, else the smallest box along its
/// transformed axes that contains it.
Obb transformedBox(const Affine& map, const Obb& box);

/// The sphere around a box.
Sphere sphereAround(const Obb& box);

/// Whether two solids have a point in common; equal boundaries count. Boxes by the separating axes
/// of Gottschalk et al. 1996, where edges that are parallel within 1e-6 rad give no axis.
bool overlap(const Obb& a, const Obb& b);
bool overlap(const Sphere& sphere, const Obb& box);
bool overlap(const Sphere& a, const Sphere& b);

}  // namespace clipmill::stages::self_collision
