// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/euler.h"

#include <array>
#include <cmath>

#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

// Below this the middle angle counts as 90 degrees: what the outer angles may then be off by
// moves no point at distance 1 by more than 3e-8, a tenth of what the floats of a file keep.
constexpr double kQuarterRotation = 1e-8;

// The axes in the order of rotation; sign is -1 where they are left-handed.
struct Axes {
  int first, middle, last;
  double sign;
};

Axes axesOf(EulerOrder order) {
  switch (order) {
    case EulerOrder::kXyz:
      return {0, 1, 2, 1.0};
    case EulerOrder::kXzy:
      return {0, 2, 1, -1.0};
    case EulerOrder::kYzx:
      return {1, 2, 0, 1.0};
    case EulerOrder::kYxz:
      return {1, 0, 2, -1.0};
    case EulerOrder::kZxy:
      return {2, 0, 1, 1.0};
    case EulerOrder::kZyx:
      return {2, 1, 0, -1.0};
  }
  return {0, 1, 2, 1.0};
}

// A rotation by its middle angle and by the sum and the difference (last minus first) of the outer
// ones: each is well determined unless its own length below is near zero, which is the case at the
// middle angles of 90 degrees only.
struct Solution {
  double middle, sum, difference;  // degrees; middle in [-90, 90]
  bool has_sum, has_difference;
};

// With half angles a (first), b, c (last) about right-handed axes the quaternion c * b * a has
//   w - j = (cos b - sin b) cos(c + a),   i + k = (cos b - sin b) sin(c + a),
//   w + j = (cos b + sin b) cos(c - a),   k - i = (cos b + sin b) sin(c - a),
// and cos b - sin b = sqrt(2) cos(b + 45 degrees), cos b + sin b = sqrt(2) sin(b + 45 degrees).
// Left-handed axes are these seen in a mirror, where all angles change their sign.
Solution solve(const Quat& rotation, const Axes& axes) {
  const Quat q = normalizedOrIdentity(rotation);
  const std::array<double, 3> v{q.x, q.y, q.z};
  const double i = axes.sign * v[toSize(axes.first)];
  const double j = axes.sign * v[toSize(axes.middle)];
  const double k = axes.sign * v[toSize(axes.last)];
  const double sum_x = q.w - j, sum_y = i + k;
  const double difference_x = q.w + j, difference_y = k - i;
  const double sum_length = std::sqrt(sum_x * sum_x + sum_y * sum_y);
  const double difference_length =
      std::sqrt(difference_x * difference_x + difference_y * difference_y);
  const double scale = 2.0 * axes.sign / kDegree;
  return {scale * portable::atan2(difference_length, sum_length) - axes.sign * 90.0,
          scale * portable::atan2(sum_y, sum_x),
          scale * portable::atan2(difference_y, difference_x), sum_length > kQuarterRotation,
          difference_length > kQuarterRotation};
}

Vec3 position(const Axes& axes, double first, double middle, double last) {
  Vec3 angles(0.0);
  angles[axes.first] = first;
  angles[axes.middle] = middle;
  angles[axes.last] = last;
  return angles;
}

// The angle that differs from `angle` by multiples of 360 degrees and is nearest to `target`.
double unrolled(double angle, double target) {
  return angle + 360.0 * std::floor((target - angle) / 360.0 + 0.5);
}

Vec3 unrolled(const Vec3& angles, const Vec3& target) {
  return Vec3(unrolled(angles.x, target.x), unrolled(angles.y, target.y),
              unrolled(angles.z, target.z));
}

double squaredDistance(const Vec3& a, const Vec3& b) { return glm::dot(a - b, a - b); }

}  // namespace

// The product of three rotations about the axes themselves, written out: most terms are zero.
Quat fromEuler(const Vec3& angles_deg, EulerOrder order) {
  const Axes axes = axesOf(order);
  const auto halfOf = [&](int axis) {
    return portable::sinCos(0.5 * (angles_deg[axis] * kDegree));
  };
  const auto [sine_a, cosine_a] = halfOf(axes.first);
  const auto [sine_b, cosine_b] = halfOf(axes.middle);
  const auto [sine_c, cosine_c] = halfOf(axes.last);
  // The last after the middle one.
  const double w = cosine_c * cosine_b, last = sine_c * cosine_b, middle = cosine_c * sine_b;
  const double first = -axes.sign * (sine_c * sine_b);
  Vec3 v;
  v[axes.first] = w * sine_a + first * cosine_a;
  v[axes.middle] = middle * cosine_a + axes.sign * (last * sine_a);
  v[axes.last] = last * cosine_a - axes.sign * (middle * sine_a);
  return Quat(w * cosine_a - first * sine_a, v.x, v.y, v.z);
}

Vec3 toEuler(const Quat& q, EulerOrder order) {
  const Axes axes = axesOf(order);
  const Solution s = solve(q, axes);
  if (!s.has_sum) return position(axes, unrolled(-s.difference, 0.0), s.middle, 0.0);
  if (!s.has_difference) return position(axes, unrolled(s.sum, 0.0), s.middle, 0.0);
  return position(axes, unrolled(0.5 * (s.sum - s.difference), 0.0), s.middle,
                  unrolled(0.5 * (s.sum + s.difference), 0.0));
}

Vec3 toEulerNear(const Quat& q, EulerOrder order, const Vec3& previous_deg) {
  const Axes axes = axesOf(order);
  const Solution s = solve(q, axes);
  if (!s.has_sum || !s.has_difference) {
    // Only the sum or only the difference of the outer angles counts; the other stays what it was,
    // and a step of the one that counts goes half to either angle.
    const double old_sum = previous_deg[axes.last] + previous_deg[axes.first];
    const double old_difference = previous_deg[axes.last] - previous_deg[axes.first];
    const double sum = s.has_sum ? unrolled(s.sum, old_sum) : old_sum;
    const double difference =
        s.has_difference ? unrolled(s.difference, old_difference) : old_difference;
    return position(axes, 0.5 * (sum - difference), unrolled(s.middle, previous_deg[axes.middle]),
                    0.5 * (sum + difference));
  }
  const Vec3 principal =
      position(axes, 0.5 * (s.sum - s.difference), s.middle, 0.5 * (s.sum + s.difference));
  const Vec3 other =
      position(axes, principal[axes.first] + 180.0, 180.0 - s.middle, principal[axes.last] + 180.0);
  const Vec3 a = unrolled(principal, previous_deg), b = unrolled(other, previous_deg);
  return squaredDistance(b, previous_deg) < squaredDistance(a, previous_deg) ? b : a;
}

Quat localRotation(const EulerRotation& channel, const Vec3& angles_deg) {
  return channel.pre * fromEuler(angles_deg, channel.order) * channel.post;
}

Vec3 anglesNear(const EulerRotation& channel, const Quat& local, const Vec3& previous_deg) {
  return toEulerNear(glm::conjugate(channel.pre) * local * glm::conjugate(channel.post),
                     channel.order, previous_deg);
}

}  // namespace clipmill
