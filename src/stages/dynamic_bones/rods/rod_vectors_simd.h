// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

/// Rotations and symmetric matrices in Highway registers for rod_step_simd.cc; guarded like
/// lane_vectors_simd.h.
#if defined(CLIPMILL_ROD_VECTORS_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CLIPMILL_ROD_VECTORS_SIMD_H
#undef CLIPMILL_ROD_VECTORS_SIMD_H
#else
#define CLIPMILL_ROD_VECTORS_SIMD_H
#endif

#include <hwy/highway.h>

#include "stages/dynamic_bones/rods/rod_body.h"
#include "stages/dynamic_bones/springs/lane_vectors_simd.h"
#include "stages/dynamic_bones/springs/lane_worlds_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

HWY_INLINE V3 zeroVector() {
  const V zero = hn::Zero(kDoubles);
  return {zero, zero, zero};
}
HWY_INLINE V3 negated(const V3& v) { return {hn::Neg(v.x), hn::Neg(v.y), hn::Neg(v.z)}; }

// The unit vector along `v`, or `fallback` where it has no direction.
HWY_INLINE V3 unitOr(const V3& v, const V3& fallback) {
  const V square = dot(v, v);
  const Mask is_good = hn::And(hn::Gt(square, hn::Zero(kDoubles)), hn::IsFinite(square));
  return select(is_good, v * hn::Div(constant(1.0), hn::Sqrt(square)), fallback);
}

// Two unit vectors normal to a unit vector (Duff et al. 2017).
HWY_INLINE void normalsOf(const V3& n, V3& first, V3& second) {
  const V one = constant(1.0);
  const V sign = hn::IfThenElse(hn::Lt(n.z, hn::Zero(kDoubles)), constant(-1.0), one);
  const V a = hn::Div(constant(-1.0), hn::Add(sign, n.z));
  const V b = hn::Mul(hn::Mul(n.x, n.y), a);
  first = {hn::Add(one, hn::Mul(sign, hn::Mul(hn::Mul(n.x, n.x), a))), hn::Mul(sign, b),
           hn::Neg(hn::Mul(sign, n.x))};
  second = {b, hn::Add(sign, hn::Mul(hn::Mul(n.y, n.y), a)), hn::Neg(n.y)};
}

HWY_INLINE void store(const Q4& q, QuatLanes& lanes, std::size_t i) {
  store(q.w, lanes.w, i);
  store(q.x, lanes.x, i);
  store(q.y, lanes.y, i);
  store(q.z, lanes.z, i);
}
HWY_INLINE Q4 conjugate(const Q4& q) { return {q.w, hn::Neg(q.x), hn::Neg(q.y), hn::Neg(q.z)}; }
HWY_INLINE V dot(const Q4& a, const Q4& b) {
  return hn::Add(hn::Add(hn::Mul(a.w, b.w), hn::Mul(a.x, b.x)),
                 hn::Add(hn::Mul(a.y, b.y), hn::Mul(a.z, b.z)));
}
HWY_INLINE Q4 operator*(const Q4& a, const Q4& b) {
  const V3 u = {a.x, a.y, a.z}, v = {b.x, b.y, b.z};
  const V3 xyz = (v * a.w + u * b.w) + cross(u, v);
  return {hn::Sub(hn::Mul(a.w, b.w), dot(u, v)), xyz.x, xyz.y, xyz.z};
}
HWY_INLINE Q4 operator*(const Q4& q, V s) {
  return {hn::Mul(q.w, s), hn::Mul(q.x, s), hn::Mul(q.y, s), hn::Mul(q.z, s)};
}
HWY_INLINE Q4 operator+(const Q4& a, const Q4& b) {
  return {hn::Add(a.w, b.w), hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE V3 operator*(const Q4& q, const V3& v) {
  const V3 u = {q.x, q.y, q.z};
  const V3 once = cross(u, v);
  return v + (once * q.w + cross(u, once)) * constant(2.0);
}
HWY_INLINE Q4 identity() {
  const V zero = hn::Zero(kDoubles);
  return {constant(1.0), zero, zero, zero};
}
HWY_INLINE Q4 select(Mask mask, const Q4& yes, const Q4& no) {
  return {hn::IfThenElse(mask, yes.w, no.w), hn::IfThenElse(mask, yes.x, no.x),
          hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}
HWY_INLINE Q4 normalizedOrIdentity(const Q4& q) {
  const V square = dot(q, q);
  const Mask is_good = hn::And(hn::Gt(square, hn::Zero(kDoubles)), hn::IsFinite(square));
  return select(is_good, q * hn::Div(constant(1.0), hn::Sqrt(square)), identity());
}

// The shortest arc between unit vectors, of unit length.
HWY_INLINE Q4 arcBetween(const V3& from, const V3& to) {
  constexpr double kNearHalfRotation = 1e-12;  // squared cosine of half the angle
  constexpr double kPrecise = 1e-2;            // above it rounding does not change the length
  const V half = constant(0.5);
  const V square =
      hn::Max(hn::Add(half, hn::Mul(half, dot(from, to))), constant(kNearHalfRotation));
  const V w = hn::Sqrt(square);
  const V3 v = cross(from, to) * hn::Div(half, w);
  const Mask is_rough = hn::Lt(square, constant(kPrecise));
  const Q4 arc = {w, v.x, v.y, v.z};
  if (hn::AllFalse(kDoubles, is_rough)) return arc;
  const V scale = hn::Div(constant(1.0), hn::Sqrt(hn::Add(square, dot(v, v))));
  return select(is_rough, arc * scale, arc);
}

// 4 tan(angle / 4) times the axis.
HWY_INLINE V3 strainOf(const Q4& arc) {
  const V one = constant(1.0);
  const V sign = hn::IfThenElse(hn::Lt(arc.w, hn::Zero(kDoubles)), constant(-1.0), one);
  const V factor = hn::Div(hn::Mul(constant(4.0), sign), hn::Add(one, hn::Mul(sign, arc.w)));
  return V3{arc.x, arc.y, arc.z} * factor;
}

// The rotation with that strain.
HWY_INLINE Q4 rotationOfStrain(const V3& strain) {
  const V3 q = strain * constant(0.25);
  const V one = constant(1.0), square = dot(q, q);
  const V scale = hn::Div(one, hn::Add(one, square));
  const V3 v = q * hn::Mul(constant(2.0), scale);
  return {hn::Mul(hn::Sub(one, square), scale), v.x, v.y, v.z};
}

// A symmetric matrix.
struct S6 {
  V xx, yy, zz, xy, xz, yz;
};
HWY_INLINE S6 load(const SymmetricLanes& l, std::size_t i) {
  return {load(l.xx, i), load(l.yy, i), load(l.zz, i), load(l.xy, i), load(l.xz, i), load(l.yz, i)};
}
HWY_INLINE void store(const S6& s, SymmetricLanes& l, std::size_t i) {
  store(s.xx, l.xx, i);
  store(s.yy, l.yy, i);
  store(s.zz, l.zz, i);
  store(s.xy, l.xy, i);
  store(s.xz, l.xz, i);
  store(s.yz, l.yz, i);
}
HWY_INLINE S6 operator+(const S6& a, const S6& b) {
  return {hn::Add(a.xx, b.xx), hn::Add(a.yy, b.yy), hn::Add(a.zz, b.zz),
          hn::Add(a.xy, b.xy), hn::Add(a.xz, b.xz), hn::Add(a.yz, b.yz)};
}
HWY_INLINE S6 operator-(const S6& a, const S6& b) {
  return {hn::Sub(a.xx, b.xx), hn::Sub(a.yy, b.yy), hn::Sub(a.zz, b.zz),
          hn::Sub(a.xy, b.xy), hn::Sub(a.xz, b.xz), hn::Sub(a.yz, b.yz)};
}
HWY_INLINE S6 operator*(const S6& m, V s) {
  return {hn::Mul(m.xx, s), hn::Mul(m.yy, s), hn::Mul(m.zz, s),
          hn::Mul(m.xy, s), hn::Mul(m.xz, s), hn::Mul(m.yz, s)};
}
HWY_INLINE V3 column0(const S6& m) { return {m.xx, m.xy, m.xz}; }
HWY_INLINE V3 column1(const S6& m) { return {m.xy, m.yy, m.yz}; }
HWY_INLINE V3 column2(const S6& m) { return {m.xz, m.yz, m.zz}; }
HWY_INLINE M3 matrixOf(const S6& m) { return {column0(m), column1(m), column2(m)}; }
HWY_INLINE V3 operator*(const S6& m, const V3& v) {
  return (column0(m) * v.x + column1(m) * v.y) + column2(m) * v.z;
}
HWY_INLINE S6 scaledIdentity(V s) {
  const V zero = hn::Zero(kDoubles);
  return {s, s, s, zero, zero, zero};
}
// a times b transposed, which is symmetric here.
HWY_INLINE S6 outer(const V3& a, const V3& b) {
  return {hn::Mul(a.x, b.x), hn::Mul(a.y, b.y), hn::Mul(a.z, b.z),
          hn::Mul(a.x, b.y), hn::Mul(a.x, b.z), hn::Mul(a.y, b.z)};
}
// The symmetric part of a matrix that is symmetric but for rounding, by its upper triangle.
HWY_INLINE S6 upperOf(const M3& m) { return {m.a.x, m.b.y, m.c.z, m.b.x, m.c.x, m.c.y}; }
// m + m transposed.
HWY_INLINE S6 withTransposed(const M3& m) {
  return {hn::Add(m.a.x, m.a.x), hn::Add(m.b.y, m.b.y), hn::Add(m.c.z, m.c.z),
          hn::Add(m.b.x, m.a.y), hn::Add(m.c.x, m.a.z), hn::Add(m.c.y, m.b.z)};
}

HWY_INLINE M3 operator+(const M3& a, const M3& b) { return {a.a + b.a, a.b + b.b, a.c + b.c}; }
HWY_INLINE M3 operator-(const M3& a, const M3& b) { return {a.a - b.a, a.b - b.b, a.c - b.c}; }
HWY_INLINE M3 operator*(const M3& a, const M3& b) { return {a * b.a, a * b.b, a * b.c}; }
HWY_INLINE V3 transposedTimes(const M3& m, const V3& v) {
  return {dot(m.a, v), dot(m.b, v), dot(m.c, v)};
}
// The matrix of x -> cross(v, x), times s.
HWY_INLINE M3 crossMatrix(const V3& v, V s) {
  const V zero = hn::Zero(kDoubles);
  const V x = hn::Mul(v.x, s), y = hn::Mul(v.y, s), z = hn::Mul(v.z, s);
  return {{zero, z, hn::Neg(y)}, {hn::Neg(z), zero, x}, {y, hn::Neg(x), zero}};
}
// crossMatrix(v) * m
HWY_INLINE M3 crossColumns(const V3& v, const M3& m) {
  return {cross(v, m.a), cross(v, m.b), cross(v, m.c)};
}
// m * crossMatrix(v)
HWY_INLINE M3 timesCross(const M3& m, const V3& v) {
  return {m.b * v.z - m.c * v.y, m.c * v.x - m.a * v.z, m.a * v.y - m.b * v.x};
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // guard
