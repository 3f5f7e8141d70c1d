// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/math.h"

namespace clipmill::render {

/// The planar shadow matrix (docs/methods.md, skeletal animation): maps a homogeneous point p to
/// where the line from the light through p meets the plane.
///   M = (P . L) I - L P^T
/// P = (n, d) is the plane n . x + d = 0, L the light: (position, 1), or (direction towards it, 0).
/// The light is on the side of the plane that n points to.
Mat4 shadowMatrix(const Vec4& plane, const Vec4& light);

/// Where the shadow of a point falls; nothing for a point that is level with the light or beyond.
std::optional<Vec3> shadowOf(const Mat4& shadow, const Vec3& point);

}  // namespace clipmill::render
