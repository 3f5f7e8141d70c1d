// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"

namespace clipmill {

/// The order of rotation of three angles: kXyz rotates about x first, then y, then z, about axes
/// that do not move along (so the matrix is Z * Y * X). The values are those of the FBX
/// RotationOrder.
enum class EulerOrder { kXyz, kXzy, kYzx, kYxz, kZxy, kZyx };

/// How a file stores the rotation of a node: local = pre * (three angles in `order`) * post.
struct EulerRotation {
  EulerOrder order = EulerOrder::kXyz;
  Quat pre{1.0, 0.0, 0.0, 0.0};
  Quat post{1.0, 0.0, 0.0, 0.0};
};

/// The rotation by angles in degrees about x, y and z.
Quat fromEuler(const Vec3& angles_deg, EulerOrder order);

/// Angles in degrees that give the unit rotation `q`, the middle one in [-90, 90]. Where the middle
/// angle is 90 degrees the outer two are not determined; the last one is 0 then.
Vec3 toEuler(const Quat& q, EulerOrder order);

/// The angles in degrees that give `q` and lie nearest to `previous_deg`, of all that differ by
/// multiples of 360 degrees or by the second solution (outer angles + 180, middle one 180 minus
/// itself). At a middle angle of 90 degrees the outer two follow `previous_deg`. For curves that
/// players interpolate angle by angle.
Vec3 toEulerNear(const Quat& q, EulerOrder order, const Vec3& previous_deg);

/// Local rotation of the angles, and the angles of a local rotation, through pre and post.
Quat localRotation(const EulerRotation& channel, const Vec3& angles_deg);
Vec3 anglesNear(const EulerRotation& channel, const Quat& local, const Vec3& previous_deg);

}  // namespace clipmill
