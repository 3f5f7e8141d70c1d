// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/math.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"

namespace clipmill {
namespace {

// Below this sine of the half angle, slerp and a normalised lerp agree to the last bits of a
// double.
constexpr double kTinyAngle = 1e-8;

// Directions that are opposite but for this angle rotate about a given axis: the axis normal to
// both is without half of its digits there, and the angle that the choice neglects is as small.
constexpr double kOpposite = 1e-8;

// Some unit vector normal to the unit vector `axis`.
Vec3 anyNormal(const Vec3& axis) {
  const Vec3 other = std::abs(axis.x) < 0.6 ? Vec3(1, 0, 0) : Vec3(0, 1, 0);
  return unitOr(glm::cross(axis, other), Vec3(0, 0, 1));
}

// Gram-Schmidt on the columns, first column kept; degenerate columns are replaced.
Mat3 orthonormalized(const Mat3& m) {
  const Vec3 x = unitOr(m[0], Vec3(1, 0, 0));
  Vec3 y = m[1] - x * glm::dot(x, m[1]);
  const double y_length = std::sqrt(glm::dot(y, y));
  y = y_length > 1e-12 * std::sqrt(glm::dot(m[1], m[1])) && y_length > 0.0 ? y / y_length
                                                                           : anyNormal(x);
  return Mat3(x, y, glm::cross(x, y));
}

// Shepperd's method: the largest of w, x, y, z is found from the diagonal, the others from it.
Quat quatOf(const Mat3& r) {
  const double trace = r[0][0] + r[1][1] + r[2][2];
  const double w = trace, x = r[0][0], y = r[1][1], z = r[2][2];
  const double largest = std::max({w, x, y, z});
  Quat q;
  if (largest == w) {
    q = Quat(1.0 + trace, r[1][2] - r[2][1], r[2][0] - r[0][2], r[0][1] - r[1][0]);
  } else if (largest == x) {
    q = Quat(r[1][2] - r[2][1], 1.0 + x - y - z, r[0][1] + r[1][0], r[2][0] + r[0][2]);
  } else if (largest == y) {
    q = Quat(r[2][0] - r[0][2], r[0][1] + r[1][0], 1.0 - x + y - z, r[1][2] + r[2][1]);
  } else {
    q = Quat(r[0][1] - r[1][0], r[2][0] + r[0][2], r[1][2] + r[2][1], 1.0 - x - y + z);
  }
  return normalizedOrIdentity(q);
}

}  // namespace

bool operator==(const Transform& a, const Transform& b) {
  return a.translation == b.translation && a.rotation == b.rotation && a.scale == b.scale;
}

Affine inverse(const Affine& map) {
  const Mat3 linear = glm::inverse(map.linear);
  return {linear, -(linear * map.translation)};
}

Transform decompose(const Affine& map, double* shear) {
  const Mat3& m = map.linear;
  Vec3 scale(std::sqrt(glm::dot(m[0], m[0])), std::sqrt(glm::dot(m[1], m[1])),
             std::sqrt(glm::dot(m[2], m[2])));
  if (shear) {
    *shear = 0.0;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const double product = scale[i] * scale[j];
      if (product > 0.0) *shear = std::max(*shear, std::abs(glm::dot(m[i], m[j])) / product);
    }
  }
  Mat3 frame = m;
  if (glm::determinant(m) < 0.0) {
    scale.x = -scale.x;
    frame[0] = -frame[0];
  }
  return {map.translation, quatOf(orthonormalized(frame)), scale};
}

Quat rotationOf(const Affine& map) { return decompose(map).rotation; }

Arc::Arc(const Quat& from, const Quat& to) : from_(from), to_(glm::dot(from, to) < 0.0 ? -to : to) {
  // Half angle from the chord: accurate for small and for large angles, unlike arccos of the dot.
  const Quat difference = to_ - from_, sum = to_ + from_;
  angle_ = 2.0 * portable::atan2(std::sqrt(glm::dot(difference, difference)),
                                 std::sqrt(glm::dot(sum, sum)));
  sine_ = portable::sin(angle_);
}

Quat Arc::at(double t) const {
  if (t <= 0.0) return from_;
  if (t >= 1.0) return to_;
  if (sine_ < kTinyAngle) return normalizedOrIdentity(from_ * (1.0 - t) + to_ * t);
  return normalizedOrIdentity(from_ * (portable::sin((1.0 - t) * angle_) / sine_) +
                              to_ * (portable::sin(t * angle_) / sine_));
}

Quat slerp(const Quat& a, const Quat& b, double t) {
  if (t <= 0.0) return a;
  return Arc(a, b).at(t);
}

double angleBetween(const Quat& a, const Quat& b) {
  const Quat nearer = glm::dot(a, b) < 0.0 ? -b : b;
  const Quat difference = nearer - a, sum = nearer + a;
  return 4.0 * portable::atan2(std::sqrt(glm::dot(difference, difference)),
                               std::sqrt(glm::dot(sum, sum)));
}

double angleBetween(const Vec3& a, const Vec3& b) {
  const Vec3 normal = glm::cross(a, b);
  return portable::atan2(std::sqrt(glm::dot(normal, normal)), glm::dot(a, b));
}

Quat rotationAbout(const Vec3& axis, double angle_rad) {
  const auto [sine, cosine] = portable::sinCos(0.5 * angle_rad);
  return Quat(cosine, axis.x * sine, axis.y * sine, axis.z * sine);
}

Vec3 rotationVector(const Quat& from, const Quat& to) {
  Quat rotation = to * glm::conjugate(from);
  if (rotation.w < 0.0) rotation = -rotation;
  const Vec3 axis(rotation.x, rotation.y, rotation.z);
  const double sine = std::sqrt(glm::dot(axis, axis));
  return sine > 0.0 ? axis * (2.0 * portable::atan2(sine, rotation.w) / sine) : Vec3(0.0);
}

Quat rotatedBy(const Vec3& rotation_rad) {
  const double angle_rad = std::sqrt(glm::dot(rotation_rad, rotation_rad));
  return angle_rad > 0.0 ? rotationAbout(rotation_rad / angle_rad, angle_rad) : kIdentityRotation;
}

Quat rotationBetween(const Vec3& from, const Vec3& to, const Vec3& fallback_axis) {
  const Vec3 a = unitOrZero(from), b = unitOrZero(to);
  if (a == Vec3(0.0) || b == Vec3(0.0)) return kIdentityRotation;
  // |a + b|^2 / 2 is 1 + cosine, and keeps its digits where the directions are nearly opposite.
  const Vec3 sum = a + b;
  const double sum2 = glm::dot(sum, sum);
  if (sum2 < kOpposite * kOpposite) {
    const Vec3 normal = fallback_axis - a * glm::dot(a, fallback_axis);
    const Vec3 axis = unitOr(normal, anyNormal(a));
    return Quat(0.0, axis.x, axis.y, axis.z);
  }
  const Vec3 normal = glm::cross(a, b);
  return normalizedOrIdentity(Quat(0.5 * sum2, normal.x, normal.y, normal.z));
}

SwingTwist swingTwist(const Quat& q, const Vec3& axis) {
  const double along = q.x * axis.x + q.y * axis.y + q.z * axis.z;
  const Quat projected(q.w, axis.x * along, axis.y * along, axis.z * along);
  if (glm::dot(projected, projected) < 1e-24) return {q, kIdentityRotation};
  const Quat twist = normalizedOrIdentity(projected);
  return {q * glm::conjugate(twist), twist};
}

bool isFinite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

bool isFinite(const Quat& q) {
  return std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z);
}

}  // namespace clipmill
