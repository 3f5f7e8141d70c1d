// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/spring_simd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/dynamic_bones/spring_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace clipmill::bones::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, kLaneBlock>;
using Indices = hn::Rebind<std::int64_t, Doubles>;
using Bits = hn::Rebind<std::uint64_t, Doubles>;
using V = hn::Vec<Doubles>;
using Mask = hn::Mask<Doubles>;

constexpr Doubles kDoubles;

// Below this squared cosine of half the angle, an arc is taken for a half turn.
constexpr double kHalfTurn = 1e-8;

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

struct World {
  M3 linear;
  V3 translation;
};

HWY_INLINE World gatherWorld(const double* worlds, const std::vector<std::int64_t>& places,
                             std::size_t i) {
  const auto at = hn::LoadU(Indices(), places.data() + i);
  const auto part = [&](std::size_t k)
                        HWY_ATTR { return hn::GatherIndex(kDoubles, worlds + k, at); };
  return {{{part(0), part(1), part(2)}, {part(3), part(4), part(5)}, {part(6), part(7), part(8)}},
          {part(9), part(10), part(11)}};
}

HWY_INLINE void scatterWorld(const M3& m, const V3& t, double* worlds,
                             const std::vector<std::int64_t>& places, std::size_t i) {
  const auto at = hn::LoadU(Indices(), places.data() + i);
  const V parts[kAffineDoubles] = {m.a.x, m.a.y, m.a.z, m.b.x, m.b.y, m.b.z,
                                   m.c.x, m.c.y, m.c.z, t.x,   t.y,   t.z};
  for (std::size_t k = 0; k < kAffineDoubles; ++k) {
    hn::ScatterIndex(parts[k], kDoubles, worlds + k, at);
  }
}

// See projectOnLength in spring_step.h.
HWY_INLINE V3 keepLength(const V3& way, const V3& old_bone, V length) {
  const V zero = hn::Zero(kDoubles);
  const V old_length = lengthOf(old_bone);
  const V3 normal = old_bone * hn::Div(constant(1.0), old_length);
  const V along = dot(way, normal);
  const V square = dot(way, way);
  const V rest = hn::Sub(hn::Mul(along, along), hn::Sub(square, hn::Mul(length, length)));
  const Mask has_old = hn::Gt(old_length, zero);
  const Mask can_slide = hn::And(has_old, hn::And(hn::Gt(along, zero), hn::Ge(rest, zero)));
  const V3 slid = way - normal * hn::Sub(along, hn::Sqrt(hn::Max(rest, zero)));
  const V distance = hn::Sqrt(square);
  const V3 scaled = way * hn::Div(length, distance);
  const V3 straight =
      select(has_old, old_bone * hn::Div(length, old_length), V3{zero, length, zero});
  return select(can_slide, slid, select(hn::Gt(distance, zero), scaled, straight));
}

HWY_INLINE V3 freeOffset(const SpringLanes& l, std::size_t i, const V3& move, bool is_first) {
  const V share = load(l.target_share, i);
  const V3 velocity = load(l.pose_velocity, i);
  const V3 push = load(l.acceleration, i) + velocity * load(l.pose_drag_per_s, i);
  const V3 offset = load(l.offset, i);
  if (is_first) {
    // A point that a solid holds off its target begins at rest there.
    const V first_force = load(l.first_force_s2, i);
    const V pulled = hn::Div(hn::Mul(load(l.pulled, i), first_force), load(l.force_s2, i));
    return ((offset - offset * pulled) + push * first_force) -
           (move - velocity * load(l.first_s, i)) * share;
  }
  const V kept = load(l.kept, i);
  return (((offset + (offset - load(l.offset_before, i)) * kept) - offset * load(l.pulled, i)) +
          push * load(l.force_s2, i)) -
         (move - load(l.target_move, i) * kept) * share;
}

std::size_t AimLanes(SpringLanes& l, const double* worlds, std::size_t begin, std::size_t end,
                     AimMode mode, bool keep_length) {
  std::size_t resets = 0;
  for (std::size_t i = begin; i < end; i += hn::Lanes(kDoubles)) {
    const World parent = gatherWorld(worlds, l.parent_world, i);
    const V3 head = parent.linear * load(l.joint_translation, i) + parent.translation;
    const V3 carried = parent.linear * load(l.carried, i);
    const V3 target = head + carried;
    V3 point = mode == AimMode::kPlaced
                   ? load(l.point, i)
                   : target + freeOffset(l, i, target - load(l.target, i), mode == AimMode::kFirst);
    V length = lengthOf(carried);
    if (keep_length) {
      const V3 way = point - head;
      length = hn::Min(hn::Max(lengthOf(way), hn::Mul(length, load(l.shortest, i))),
                       hn::Mul(length, load(l.longest, i)));
      point = head + keepLength(way, load(l.bone, i), length);
    }
    const Mask good = isFinite(point);
    resets += hn::CountTrue(kDoubles, hn::Not(good));
    store(select(good, point, target), l.point, i);
    store(head, l.next_head, i);
    store(target, l.next_target, i);
    store(length, l.length_m, i);
    store(parent.linear, l.linear, i);
  }
  return resets;
}

bool TurnLanes(SpringLanes& l, std::size_t begin, std::size_t end) {
  const V zero = hn::Zero(kDoubles), one = constant(1.0), half = constant(0.5);
  bool has_half_turn = false;
  for (std::size_t i = begin; i < end; i += hn::Lanes(kDoubles)) {
    const M3 linear = load(l.linear, i);
    const V3 way = load(l.point, i) - load(l.next_head, i);
    const V3 bc = cross(linear.b, linear.c);
    const V3 local =
        V3{dot(bc, way), dot(cross(linear.c, linear.a), way), dot(cross(linear.a, linear.b), way)} *
        hn::Div(one, dot(linear.a, bc));
    const V3 from = load(l.aim_direction, i);
    const V3 to = local * hn::Div(one, lengthOf(local));
    const V cosine = dot(from, to);
    const V square = hn::Max(hn::Add(half, hn::Mul(half, cosine)), zero);
    const V w = hn::Sqrt(square);
    const V3 rough = cross(from, to) * hn::Div(half, w);
    // Of unit length, also near a half turn, where w has lost digits.
    const V scale = hn::Div(one, hn::Sqrt(hn::Add(square, dot(rough, rough))));
    const V3 axis = rough * scale;
    // A bone without length has no direction, and one in a flat world none that can be undone.
    const Mask is_known = hn::And(hn::IsFinite(cosine), hn::Gt(dot(from, from), zero));
    const Mask is_half_turn = hn::And(is_known, hn::Lt(square, constant(kHalfTurn)));
    has_half_turn = has_half_turn || !hn::AllFalse(kDoubles, is_half_turn);
    const Mask is_arc = hn::AndNot(is_half_turn, is_known);
    store(hn::IfThenElse(is_half_turn, zero, hn::IfThenElse(is_arc, hn::Mul(w, scale), one)),
          l.swing.w, i);
    store(hn::IfThenElseZero(is_arc, axis.x), l.swing.x, i);
    store(hn::IfThenElseZero(is_arc, axis.y), l.swing.y, i);
    store(hn::IfThenElseZero(is_arc, axis.z), l.swing.z, i);
  }
  return has_half_turn;
}

// The rotation matrix of a unit quaternion.
HWY_INLINE M3 matrixOf(const QuatLanes& lanes, std::size_t i) {
  const V one = constant(1.0), two = constant(2.0);
  const V w = load(lanes.w, i), x = load(lanes.x, i), y = load(lanes.y, i), z = load(lanes.z, i);
  const V xx = hn::Mul(x, x), yy = hn::Mul(y, y), zz = hn::Mul(z, z);
  const V xy = hn::Mul(x, y), xz = hn::Mul(x, z), yz = hn::Mul(y, z);
  const V wx = hn::Mul(w, x), wy = hn::Mul(w, y), wz = hn::Mul(w, z);
  return {{hn::Sub(one, hn::Mul(two, hn::Add(yy, zz))), hn::Mul(two, hn::Add(xy, wz)),
           hn::Mul(two, hn::Sub(xz, wy))},
          {hn::Mul(two, hn::Sub(xy, wz)), hn::Sub(one, hn::Mul(two, hn::Add(xx, zz))),
           hn::Mul(two, hn::Add(yz, wx))},
          {hn::Mul(two, hn::Add(xz, wy)), hn::Mul(two, hn::Sub(yz, wx)),
           hn::Sub(one, hn::Mul(two, hn::Add(xx, yy)))}};
}

void CarryLanes(SpringLanes& l, double* worlds, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; i += hn::Lanes(kDoubles)) {
    const M3 linear = load(l.linear, i), swing = matrixOf(l.swing, i), turned = load(l.turned, i);
    const M3 own = {linear * (swing * turned.a), linear * (swing * turned.b),
                    linear * (swing * turned.c)};
    scatterWorld(own, load(l.next_head, i), worlds, l.own_world, i);
  }
}

void CommitLanes(SpringLanes& l, std::size_t begin, std::size_t end) {
  const V zero = hn::Zero(kDoubles), one = constant(1.0);
  for (std::size_t i = begin; i < end; i += hn::Lanes(kDoubles)) {
    const M3 linear = load(l.linear, i);
    const V3 head = load(l.next_head, i), target = load(l.next_target, i);
    V3 bone = linear * (matrixOf(l.swing, i) * load(l.aim, i));
    const Mask stretches = hn::Lt(load(l.shortest, i), load(l.longest, i));
    bone = select(stretches, bone * hn::Div(load(l.length_m, i), lengthOf(bone)), bone);
    const V3 point = head + bone;
    const V3 move = target - load(l.target, i);
    const V3 none = {zero, zero, zero};
    store(load(l.offset, i) + load(l.nudge, i), l.offset_before, i);
    store(point - target, l.offset, i);
    store(select(isFinite(move), move, none), l.target_move, i);
    store(target, l.target, i);
    store(head, l.head, i);
    store(bone, l.bone, i);
    store(point, l.point, i);
    store(none, l.nudge, i);
    const V3 borne = linear * load(l.up, i);
    const V length = lengthOf(borne);
    const V share = hn::IfThenElseZero(hn::Gt(length, zero), hn::Div(load(l.hangs, i), length));
    const V3 up = V3{zero, one, zero} - borne * share;
    store(up * load(l.gravity_mps2, i), l.acceleration, i);
  }
}

void PoseLanes(SpringLanes& l, const double* worlds) {
  for (std::size_t i = 0; i < l.count; i += hn::Lanes(kDoubles)) {
    const World base = gatherWorld(worlds, l.base_world, i);
    store(base.linear * load(l.in_base, i) + base.translation, l.next_posed, i);
  }
}

// Squared distance of a point from the axis of a capsule.
HWY_INLINE V squareFromAxis(const V3& point, const WayCapsules& capsules, std::size_t k) {
  const V3 from_head =
      point - V3{constant(capsules.x[k]), constant(capsules.y[k]), constant(capsules.z[k])};
  const V3 axis = {constant(capsules.axis_x[k]), constant(capsules.axis_y[k]),
                   constant(capsules.axis_z[k])};
  const V along = hn::Mul(dot(from_head, axis), constant(capsules.inverse_square[k]));
  const V share = hn::Min(hn::Max(along, hn::Zero(kDoubles)), constant(1.0));
  const V3 apart = from_head - axis * share;
  return dot(apart, apart);
}

void FindNearCapsules(const SpringLanes& l, std::size_t begin, std::size_t end,
                      const WayCapsules& capsules, std::size_t first, std::uint64_t* near) {
  const V half = constant(0.5);
  const std::size_t last = std::min<std::size_t>(first + 64, capsules.x.size());
  for (std::size_t i = begin; i < end; i += hn::Lanes(kDoubles)) {
    const V3 head = load(l.next_head, i), point = load(l.point, i);
    const V3 before = load(l.target, i) + load(l.offset, i);
    const V3 middle = (head + point) * half;
    const V way = hn::Max(lengthOf(head - load(l.head, i)), lengthOf(point - before));
    const V reach =
        hn::Add(hn::Add(hn::Mul(half, lengthOf(point - head)), load(l.reach_m, i)), way);
    auto bits = hn::Zero(Bits());
    for (std::size_t k = first; k < last; ++k) {
      const V limit = hn::Add(reach, constant(capsules.radius_m[k]));
      const Mask is_near = hn::Lt(squareFromAxis(middle, capsules, k), hn::Mul(limit, limit));
      const auto bit = hn::Set(Bits(), std::uint64_t{1} << (k - first));
      bits = hn::Or(bits, hn::IfThenElseZero(hn::RebindMask(Bits(), is_near), bit));
    }
    hn::StoreU(bits, Bits(), near + i);
  }
}

}  // namespace clipmill::bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::bones {

HWY_EXPORT(AimLanes);
HWY_EXPORT(TurnLanes);
HWY_EXPORT(CarryLanes);
HWY_EXPORT(CommitLanes);
HWY_EXPORT(PoseLanes);
HWY_EXPORT(FindNearCapsules);

std::size_t aimLanes(SpringLanes& lanes, const double* worlds, std::size_t begin, std::size_t end,
                     AimMode mode, bool keep_length) {
  return HWY_DYNAMIC_DISPATCH(AimLanes)(lanes, worlds, begin, end, mode, keep_length);
}

bool turnLanes(SpringLanes& lanes, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(TurnLanes)(lanes, begin, end);
}

void carryLanes(SpringLanes& lanes, double* worlds, std::size_t begin, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(CarryLanes)(lanes, worlds, begin, end);
}

void commitLanes(SpringLanes& lanes, std::size_t begin, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(CommitLanes)(lanes, begin, end);
}

void poseLanes(SpringLanes& lanes, const double* worlds) {
  HWY_DYNAMIC_DISPATCH(PoseLanes)(lanes, worlds);
}

void findNearCapsules(const SpringLanes& lanes, std::size_t begin, std::size_t end,
                      const WayCapsules& capsules, std::size_t first,
                      std::span<std::uint64_t> near) {
  HWY_DYNAMIC_DISPATCH(FindNearCapsules)(lanes, begin, end, capsules, first, near.data());
}

std::vector<std::string> vectorTargets() {
  hwy::SetSupportedTargetsForTest(0);
  std::vector<std::string> names;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

void useVectorTarget(int index) {
  hwy::SetSupportedTargetsForTest(0);
  if (index >= 0) {
    const auto all = hwy::SupportedAndGeneratedTargets();
    hwy::SetSupportedTargetsForTest(all[static_cast<std::size_t>(index)]);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace clipmill::bones
#endif  // HWY_ONCE
