// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"

/// Cubics through four values at equal distances (Catmull and Rom 1974).
namespace clipmill::stages::dynamic_bones {

/// The cubic from `b` to `c`, at `fraction` of the time between them, whose slopes are those of the
/// parabolas through the neighbours.
template <class Value>
Value frameCubic(const Value& a, const Value& b, const Value& c, const Value& d, double fraction) {
  const Value start = (c - a) * 0.5, end = (d - b) * 0.5, move = c - b;
  return b + (start +
              (move * 3.0 - start * 2.0 - end + (start + end - move * 2.0) * fraction) * fraction) *
                 fraction;
}

/// The same for rotations, by their rotation vectors from `b`: a steady rotation about an axis
/// stays steady.
inline Quat frameCubic(const Quat& a, const Quat& b, const Quat& c, const Quat& d,
                       double fraction) {
  return rotatedBy(frameCubic(rotationVector(b, a), Vec3(0.0), rotationVector(b, c),
                              rotationVector(b, d), fraction)) *
         b;
}

/// The value before `a` on the parabola through three values.
inline Vec3 beforeParabola(const Vec3& a, const Vec3& b, const Vec3& c) {
  return (a - b) * 3.0 + c;
}
inline Quat beforeParabola(const Quat& a, const Quat& b, const Quat& c) {
  return rotatedBy(beforeParabola(Vec3(0.0), rotationVector(a, b), rotationVector(a, c))) * a;
}

}  // namespace clipmill::stages::dynamic_bones
