// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring_simd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/dynamic_bones/springs/spring_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/to_size.h"
#include "stages/dynamic_bones/springs/lane_vectors_simd.h"
#include "stages/dynamic_bones/springs/lane_worlds_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

// Below this squared cosine of half the angle, an arc counts as 180 degrees.
constexpr double kHalfRotation = 1e-8;

// See projectOnLength in spring_step.h.
HWY_INLINE V3 keepLength(const V3& path, const V3& old_bone, V length) {
  const V zero = hn::Zero(kDoubles);
  const V old_length = lengthOf(old_bone);
  const V3 normal = old_bone * hn::Div(constant(1.0), old_length);
  const V along = dot(path, normal);
  const V square = dot(path, path);
  const V root_square = hn::Sub(hn::Mul(along, along), hn::Sub(square, hn::Mul(length, length)));
  const Mask has_old = hn::Gt(old_length, zero);
  const Mask can_slide = hn::And(has_old, hn::And(hn::Gt(along, zero), hn::Ge(root_square, zero)));
  const V3 slid = path - normal * hn::Sub(along, hn::Sqrt(hn::Max(root_square, zero)));
  const V distance = hn::Sqrt(square);
  const V3 scaled = path * hn::Div(length, distance);
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
    // A point that a solid holds off its target starts at rest there.
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

std::size_t AimLanes(SpringLanes& l, const double* worlds, std::size_t start, std::size_t end,
                     AimMode mode, bool keep_length) {
  std::size_t resets = 0;
  for (std::size_t i = start; i < end; i += hn::Lanes(kDoubles)) {
    const World parent = gatherWorld(worlds, l.parent_world, i);
    const V3 head = parent.linear * load(l.joint_translation, i) + parent.translation;
    const V3 carried = parent.linear * load(l.carried, i);
    const V3 target = head + carried;
    V3 point = mode == AimMode::kGivenPoint
                   ? load(l.point, i)
                   : target + freeOffset(l, i, target - load(l.target, i), mode == AimMode::kFirst);
    V length = lengthOf(carried);
    if (keep_length) {
      const V3 path = point - head;
      length = hn::Min(hn::Max(lengthOf(path), hn::Mul(length, load(l.shortest, i))),
                       hn::Mul(length, load(l.longest, i)));
      point = head + keepLength(path, load(l.bone, i), length);
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

bool RotateLanes(SpringLanes& l, std::size_t start, std::size_t end) {
  const V zero = hn::Zero(kDoubles), one = constant(1.0), half = constant(0.5);
  bool has_half_rotation = false;
  for (std::size_t i = start; i < end; i += hn::Lanes(kDoubles)) {
    const M3 linear = load(l.linear, i);
    const V3 path = load(l.point, i) - load(l.next_head, i);
    const V3 bc = cross(linear.b, linear.c);
    const V3 local = V3{dot(bc, path), dot(cross(linear.c, linear.a), path),
                        dot(cross(linear.a, linear.b), path)} *
                     hn::Div(one, dot(linear.a, bc));
    const V3 from = load(l.aim_direction, i);
    const V3 to = local * hn::Div(one, lengthOf(local));
    const V cosine = dot(from, to);
    const V square = hn::Max(hn::Add(half, hn::Mul(half, cosine)), zero);
    const V w = hn::Sqrt(square);
    const V3 rough = cross(from, to) * hn::Div(half, w);
    // Of unit length, also near 180 degrees, where w is imprecise.
    const V scale = hn::Div(one, hn::Sqrt(hn::Add(square, dot(rough, rough))));
    const V3 axis = rough * scale;
    // A bone without length has no direction; in a singular world the direction has no inverse.
    const Mask is_known = hn::And(hn::IsFinite(cosine), hn::Gt(dot(from, from), zero));
    const Mask is_half_rotation = hn::And(is_known, hn::Lt(square, constant(kHalfRotation)));
    has_half_rotation = has_half_rotation || !hn::AllFalse(kDoubles, is_half_rotation);
    const Mask is_arc = hn::AndNot(is_half_rotation, is_known);
    store(hn::IfThenElse(is_half_rotation, zero, hn::IfThenElse(is_arc, hn::Mul(w, scale), one)),
          l.swing.w, i);
    store(hn::IfThenElseZero(is_arc, axis.x), l.swing.x, i);
    store(hn::IfThenElseZero(is_arc, axis.y), l.swing.y, i);
    store(hn::IfThenElseZero(is_arc, axis.z), l.swing.z, i);
  }
  return has_half_rotation;
}

void CarryLanes(SpringLanes& l, double* worlds, std::size_t start, std::size_t end) {
  for (std::size_t i = start; i < end; i += hn::Lanes(kDoubles)) {
    const M3 linear = load(l.linear, i), swing = matrixOf(load(l.swing, i)),
             rotated = load(l.rotated, i);
    const M3 own = {linear * (swing * rotated.a), linear * (swing * rotated.b),
                    linear * (swing * rotated.c)};
    scatterWorld(own, load(l.next_head, i), worlds, l.own_world, i);
  }
}

void CommitLanes(SpringLanes& l, std::size_t start, std::size_t end) {
  const V zero = hn::Zero(kDoubles), one = constant(1.0);
  for (std::size_t i = start; i < end; i += hn::Lanes(kDoubles)) {
    const M3 linear = load(l.linear, i);
    const V3 head = load(l.next_head, i), target = load(l.next_target, i);
    V3 bone = linear * (matrixOf(load(l.swing, i)) * load(l.aim, i));
    const Mask stretches = hn::Lt(load(l.shortest, i), load(l.longest, i));
    bone = select(stretches, bone * hn::Div(load(l.length_m, i), lengthOf(bone)), bone);
    const V3 point = head + bone;
    const V3 move = target - load(l.target, i);
    const V3 none = {zero, zero, zero};
    store(load(l.offset, i) + load(l.contact_shift, i), l.offset_before, i);
    store(point - target, l.offset, i);
    store(select(isFinite(move), move, none), l.target_move, i);
    store(target, l.target, i);
    store(head, l.head, i);
    store(bone, l.bone, i);
    store(point, l.point, i);
    store(none, l.contact_shift, i);
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

void MovePoseLanes(SpringLanes& l, const double* worlds, double share_per_s) {
  const V share = constant(share_per_s);
  for (std::size_t i = 0; i < l.count; i += hn::Lanes(kDoubles)) {
    const World base = gatherWorld(worlds, l.base_world, i);
    const V3 posed = base.linear * load(l.in_base, i) + base.translation;
    store(posed, l.next_posed, i);
    store((posed - load(l.posed_before, i)) * share, l.pose_velocity, i);
  }
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::dynamic_bones {

HWY_EXPORT(AimLanes);
HWY_EXPORT(RotateLanes);
HWY_EXPORT(CarryLanes);
HWY_EXPORT(CommitLanes);
HWY_EXPORT(PoseLanes);
HWY_EXPORT(MovePoseLanes);

std::size_t aimLanes(SpringLanes& lanes, const double* worlds, std::size_t start, std::size_t end,
                     AimMode mode, bool keep_length) {
  return HWY_DYNAMIC_DISPATCH(AimLanes)(lanes, worlds, start, end, mode, keep_length);
}

bool rotateLanes(SpringLanes& lanes, std::size_t start, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(RotateLanes)(lanes, start, end);
}

void carryLanes(SpringLanes& lanes, double* worlds, std::size_t start, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(CarryLanes)(lanes, worlds, start, end);
}

void commitLanes(SpringLanes& lanes, std::size_t start, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(CommitLanes)(lanes, start, end);
}

void poseLanes(SpringLanes& lanes, const double* worlds) {
  HWY_DYNAMIC_DISPATCH(PoseLanes)(lanes, worlds);
}

void movePoseLanes(SpringLanes& lanes, const double* worlds, double share_per_s) {
  HWY_DYNAMIC_DISPATCH(MovePoseLanes)(lanes, worlds, share_per_s);
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
    hwy::SetSupportedTargetsForTest(all[toSize(index)]);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace clipmill::stages::dynamic_bones
#endif  // HWY_ONCE
