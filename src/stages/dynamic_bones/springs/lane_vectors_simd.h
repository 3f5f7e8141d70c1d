// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

/// Vectors and matrices of Highway registers, for the _simd.cc files of this folder. Highway
/// compiles those once for each processor, and this header each time with them: hence its guard.
#if defined(CLIPMILL_LANE_VECTORS_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CLIPMILL_LANE_VECTORS_SIMD_H
#undef CLIPMILL_LANE_VECTORS_SIMD_H
#else
#define CLIPMILL_LANE_VECTORS_SIMD_H
#endif

#include <hwy/highway.h>

#include "stages/dynamic_bones/springs/spring_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, kLaneBlock>;
using Bits = hn::Rebind<std::uint64_t, Doubles>;
using V = hn::Vec<Doubles>;
using Mask = hn::Mask<Doubles>;

constexpr Doubles kDoubles;

struct V3 {
  V x, y, z;
};
struct M3 {
  V3 a, b, c;  // columns
};

HWY_INLINE V constant(double value) { return hn::Set(kDoubles, value); }
HWY_INLINE V load(const Column& column, std::size_t i) {
  return hn::LoadU(kDoubles, column.data() + i);
}
HWY_INLINE void store(V value, Column& column, std::size_t i) {
  hn::StoreU(value, kDoubles, column.data() + i);
}
HWY_INLINE V3 load(const Vec3Lanes& lanes, std::size_t i) {
  return {load(lanes.x, i), load(lanes.y, i), load(lanes.z, i)};
}
HWY_INLINE void store(const V3& v, Vec3Lanes& lanes, std::size_t i) {
  store(v.x, lanes.x, i);
  store(v.y, lanes.y, i);
  store(v.z, lanes.z, i);
}
HWY_INLINE M3 load(const Mat3Lanes& l, std::size_t i) {
  return {{load(l.m[0], i), load(l.m[1], i), load(l.m[2], i)},
          {load(l.m[3], i), load(l.m[4], i), load(l.m[5], i)},
          {load(l.m[6], i), load(l.m[7], i), load(l.m[8], i)}};
}
HWY_INLINE void store(const M3& m, Mat3Lanes& l, std::size_t i) {
  store(m.a.x, l.m[0], i);
  store(m.a.y, l.m[1], i);
  store(m.a.z, l.m[2], i);
  store(m.b.x, l.m[3], i);
  store(m.b.y, l.m[4], i);
  store(m.b.z, l.m[5], i);
  store(m.c.x, l.m[6], i);
  store(m.c.y, l.m[7], i);
  store(m.c.z, l.m[8], i);
}

HWY_INLINE V3 operator+(const V3& a, const V3& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE V3 operator-(const V3& a, const V3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE V3 operator*(const V3& a, V s) {
  return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)};
}
HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)),
          hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE V lengthOf(const V3& v) { return hn::Sqrt(dot(v, v)); }
HWY_INLINE V3 select(Mask mask, const V3& yes, const V3& no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y),
          hn::IfThenElse(mask, yes.z, no.z)};
}
HWY_INLINE Mask isFinite(const V3& v) {
  return hn::And(hn::And(hn::IsFinite(v.x), hn::IsFinite(v.y)), hn::IsFinite(v.z));
}
HWY_INLINE V3 operator*(const M3& m, const V3& v) { return (m.a * v.x + m.b * v.y) + m.c * v.z; }

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // guard
