// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>

#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

namespace clipmill {

using Vec2 = glm::dvec2;
using Vec3 = glm::dvec3;
using Vec4 = glm::dvec4;
using Mat3 = glm::dmat3;  ///< Columns are basis vectors.
using Mat4 = glm::dmat4;  ///< Of homogeneous points (x, y, z, w); columns likewise.
using Quat = glm::dquat;  ///< Constructed as (w, x, y, z).

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kDegree = kPi / 180.0;

inline const Quat kIdentityRotation{1.0, 0.0, 0.0, 0.0};

/// Translation, rotation, scale of a node relative to its parent, applied scale first.
struct Transform {
  Vec3 translation{0.0};
  Quat rotation{1.0, 0.0, 0.0, 0.0};
  Vec3 scale{1.0};
};

bool operator==(const Transform& a, const Transform& b);

/// An affine map x -> linear * x + translation. Named target_from_source.
struct Affine {
  Mat3 linear{1.0};
  Vec3 translation{0.0};
};

inline Affine operator*(const Affine& a, const Affine& b) {
  return {a.linear * b.linear, a.linear * b.translation + a.translation};
}
inline Vec3 transformPoint(const Affine& map, const Vec3& point) {
  return map.linear * point + map.translation;
}
inline Vec3 transformVector(const Affine& map, const Vec3& vector) { return map.linear * vector; }
/// Inverse of an invertible map; a singular one gives non-finite numbers.
Affine inverse(const Affine& map);

/// `q` normalised; identity where its length is zero or not finite.
inline Quat normalizedOrIdentity(const Quat& q) {
  const double square = glm::dot(q, q);
  if (!(square > 0.0 && square <= std::numeric_limits<double>::max())) return kIdentityRotation;
  return q * (1.0 / std::sqrt(square));
}

/// The map of a Transform. The rotation need not be normalised; a zero one counts as identity.
inline Affine toAffine(const Transform& transform) {
  const Mat3 rotation = glm::mat3_cast(normalizedOrIdentity(transform.rotation));
  return {Mat3(rotation[0] * transform.scale.x, rotation[1] * transform.scale.y,
               rotation[2] * transform.scale.z),
          transform.translation};
}

/// Translation, rotation and scale whose map is nearest to `map`: columns are normalised and made
/// orthogonal, a reflection goes to scale.x. `shear` (if given) receives the largest cosine between
/// two columns, 0 where the map is expressed exactly.
Transform decompose(const Affine& map, double* shear = nullptr);

/// Rotation part of a map without its scale (columns normalised, then orthogonalised).
Quat rotationOf(const Affine& map);

/// Constant-speed interpolation on the shorter arc, t in [0, 1] (docs/methods.md, skeletal
/// animation). Unit inputs, unit output.
Quat slerp(const Quat& a, const Quat& b, double t);

/// slerp between the same two rotations for many t: what does not depend on t is computed once.
/// Same bits as slerp().
class Arc {
 public:
  Arc() : Arc(kIdentityRotation, kIdentityRotation) {}
  Arc(const Quat& from, const Quat& to);
  Quat at(double t) const;

 private:
  Quat from_, to_;  // to_ in the hemisphere of from_
  double angle_;    // between the two as vectors: half the angle of the rotation
  double sine_;
};

/// Angle in radians, 0..pi, of the rotation from a to b. Unit inputs.
double angleBetween(const Quat& a, const Quat& b);

/// Angle in radians, 0..pi, between two vectors; 0 where one of them is zero.
double angleBetween(const Vec3& a, const Vec3& b);

/// Rotation by `angle_rad` about the unit vector `axis`.
Quat rotationAbout(const Vec3& axis, double angle_rad);

/// The rotation by the shorter arc from `from` to `to`, as a vector: its axis in the space in which
/// both are given, times its angle in radians. Unit inputs.
Vec3 rotationVector(const Quat& from, const Quat& to);

/// The rotation about the axis of `rotation_rad` by its length: rotatedBy(rotationVector(a, b)) * a
/// is b, but for the sign.
Quat rotatedBy(const Vec3& rotation_rad);

/// Shortest rotation that rotates the direction of `from` into that of `to`, about the axis normal
/// to both. Opposite directions rotate about `fallback_axis` made normal to `from`; zero vectors
/// give identity.
Quat rotationBetween(const Vec3& from, const Vec3& to, const Vec3& fallback_axis = Vec3(0, 0, 1));

/// q = swing * twist, where twist rotates about the unit vector `axis` and swing about one normal
/// to it. Where the swing is 180 degrees the twist is undetermined and taken as identity.
struct SwingTwist {
  Quat swing;
  Quat twist;
};
SwingTwist swingTwist(const Quat& q, const Vec3& axis);

bool isFinite(const Vec3& v);
bool isFinite(const Quat& q);

/// Euclidean length. The square root of plain arithmetic: the same bits on every machine.
inline double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

/// The direction of `v`; `fallback` where its length is zero or not finite.
inline Vec3 unitOr(const Vec3& v, const Vec3& fallback) {
  const double length = lengthOf(v);
  return length > 0.0 && std::isfinite(length) ? v / length : fallback;
}
inline Vec3 unitOrZero(const Vec3& v) { return unitOr(v, Vec3(0.0)); }

}  // namespace clipmill
