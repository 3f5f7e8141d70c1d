// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/pose_lanes_simd.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/dynamic_bones/springs/pose_lanes_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "stages/dynamic_bones/springs/lane_vectors_simd.h"
#include "stages/dynamic_bones/springs/lane_worlds_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

HWY_INLINE void store(const Q4& q, QuatLanes& lanes, std::size_t i) {
  store(q.w, lanes.w, i);
  store(q.x, lanes.x, i);
  store(q.y, lanes.y, i);
  store(q.z, lanes.z, i);
}

// See normalizedOrIdentity in core/math.h.
HWY_INLINE Q4 normalized(const Q4& q) {
  const V one = constant(1.0), zero = hn::Zero(kDoubles);
  const V square = hn::Add(hn::Add(hn::Mul(q.w, q.w), hn::Mul(q.x, q.x)),
                           hn::Add(hn::Mul(q.y, q.y), hn::Mul(q.z, q.z)));
  const Mask good =
      hn::And(hn::Gt(square, zero), hn::Le(square, constant(std::numeric_limits<double>::max())));
  const V scale = hn::Div(one, hn::Sqrt(square));
  return {
      hn::IfThenElse(good, hn::Mul(q.w, scale), one), hn::IfThenElseZero(good, hn::Mul(q.x, scale)),
      hn::IfThenElseZero(good, hn::Mul(q.y, scale)), hn::IfThenElseZero(good, hn::Mul(q.z, scale))};
}

HWY_INLINE V3 rotated(const Q4& q, const V3& v) {
  const V3 axis = {q.x, q.y, q.z};
  const V3 once = cross(axis, v);
  return v + (once * q.w + cross(axis, once)) * constant(2.0);
}

HWY_INLINE Mask isSame(const Q4& a, const Q4& b) {
  return hn::And(hn::And(hn::Eq(a.w, b.w), hn::Eq(a.x, b.x)),
                 hn::And(hn::Eq(a.y, b.y), hn::Eq(a.z, b.z)));
}

void RotatePoseLanes(PoseLanes& l) {
  const V one = constant(1.0), zero = hn::Zero(kDoubles);
  for (std::size_t i = 0; i < l.count; i += hn::Lanes(kDoubles)) {
    const Q4 rest = load(l.rest, i), animated = normalized(load(l.rotation, i));
    const V3 scale = load(l.scale, i), offset = load(l.offset, i);
    const V3 scaled = {hn::Mul(scale.x, offset.x), hn::Mul(scale.y, offset.y),
                       hn::Mul(scale.z, offset.z)};
    const V3 bone = rotated(animated, scaled), at_rest = rotated(rest, scaled);
    const M3 rotated = matrixOf(animated);
    store(animated, l.animated, i);
    store(bone, l.bone, i);
    store(M3{rotated.a * scale.x, rotated.b * scale.y, rotated.c * scale.z}, l.linear, i);
    // Bones without length count as at rest. Joints that do not rotate are at rest to the last bit.
    const V squares = hn::Mul(dot(bone, bone), dot(at_rest, at_rest));
    const Mask rotations = hn::AndNot(isSame(animated, rest), hn::Gt(squares, zero));
    const V cosine = hn::Div(dot(bone, at_rest), hn::Sqrt(squares));
    store(hn::IfThenElse(rotations, cosine, one), l.rest_cosine, i);
  }
}

void CarryPoseLanes(PoseLanes& l, double* worlds, std::size_t start, std::size_t end) {
  for (std::size_t i = start; i < end; i += hn::Lanes(kDoubles)) {
    const World parent = gatherWorld(worlds, l.parent_world, i);
    const V3 head = parent.linear * load(l.translation, i) + parent.translation;
    const V3 bone = parent.linear * load(l.bone, i);
    store(head, l.segments.head, i);
    store(head + bone, l.segments.end, i);
    store(lengthOf(bone), l.length_m, i);
    const M3 local = load(l.linear, i);
    const M3 own = {parent.linear * local.a, parent.linear * local.b, parent.linear * local.c};
    scatterWorld(own, head, worlds, l.own_world, i);
  }
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::dynamic_bones {

HWY_EXPORT(RotatePoseLanes);
HWY_EXPORT(CarryPoseLanes);

PoseLanes::PoseLanes(std::size_t lane_count, std::size_t idle_world)
    : count(lane_count), segments(lane_count) {
  const auto idle = static_cast<std::int64_t>(idle_world * kAffineDoubles);
  for (auto* positions : {&parent_world, &own_world}) positions->assign(count, idle);
  translation.assign(count, Vec3(0.0));
  scale.assign(count, Vec3(1.0));
  for (Vec3Lanes* unit : {&offset, &bone}) unit->assign(count, Vec3(0, 1, 0));
  for (QuatLanes* none : {&rotation, &rest, &animated}) none->assign(count, kIdentityRotation);
  linear.assign(count, Mat3(1.0));
  for (Column* column : {&rest_cosine, &length_m}) column->assign(count, 1.0);
}

void rotatePoseLanes(PoseLanes& lanes) { HWY_DYNAMIC_DISPATCH(RotatePoseLanes)(lanes); }

void carryPoseLanes(PoseLanes& lanes, double* worlds, std::size_t start, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(CarryPoseLanes)(lanes, worlds, start, end);
}

}  // namespace clipmill::stages::dynamic_bones
#endif  // HWY_ONCE
