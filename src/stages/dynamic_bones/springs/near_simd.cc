// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/near_simd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/dynamic_bones/springs/near_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/to_size.h"
#include "stages/dynamic_bones/springs/capsule_axes_simd.h"
#include "stages/dynamic_bones/springs/lane_vectors_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

// Whether a bone can overlap a solid at the end of the step.
HWY_INLINE Mask mayOverlap(const BoneAxis& bone, const Capsules& capsules, std::size_t k) {
  const V reach = hn::Add(bone.radius, constant(capsules.body_m[k]));
  const V limit = hn::Add(reach, hn::Mul(bone.length, constant(kSlackShare)));
  return hn::Not(hn::Gt(squareBetweenAxes(bone, capsules, k), hn::Mul(limit, limit)));
}

// The motion of a bone in the step, for mayPass.
struct BoneMotion {
  V3 head_before, end_before;
  V path;  // the longer path of its two ends
  V least_radius;
};

// Whether a bone and a solid are so fast that they have to be swept: the first test of mustSweep in
// contact.cc, with a margin.
HWY_INLINE Mask mayPass(const BoneMotion& bone, const SolidMotions& motions, std::size_t k) {
  const V3 position = {constant(motions.x[k]), constant(motions.y[k]), constant(motions.z[k])};
  const V3 head = bone.head_before - position, end = bone.end_before - position;
  const V arm = hn::Sqrt(hn::Max(dot(head, head), dot(end, end)));
  const V path = hn::Add(hn::Add(bone.path, constant(motions.shift_m[k])),
                         hn::Mul(constant(motions.rotation[k]), arm));
  const V thickness = hn::Add(constant(motions.least_radius_m[k]), bone.least_radius);
  const V core = hn::Mul(constant(kCoreShare), hn::Max(thickness, constant(kThinnest_m)));
  return hn::Not(hn::Le(path, hn::Mul(core, constant(1.0 - kSlackShare))));
}

void FindNearCapsules(const SpringLanes& l, std::size_t start, std::size_t end,
                      const Capsules& capsules, const SolidMotions& motions, std::size_t first,
                      const NearBits& bits) {
  const V half = constant(0.5);
  const std::size_t last = std::min<std::size_t>(first + kSolidBlock, capsules.size());
  for (std::size_t i = start; i < end; i += hn::Lanes(kDoubles)) {
    const V3 head_before = load(l.head, i), end_before = load(l.target, i) + load(l.offset, i);
    const V3 head = load(l.next_head, i), point = load(l.point, i);
    const V3 middle = (head + point) * half;
    const BoneAxis bone = boneAxis(head, point, load(l.reach_m, i));
    const V path = hn::Max(lengthOf(head - head_before), lengthOf(point - end_before));
    const BoneMotion moved = {head_before, end_before, path, load(l.least_radius_m, i)};
    const V reach = hn::Add(hn::Add(hn::Mul(half, bone.length), bone.radius), path);
    auto near = hn::Zero(Bits()), overlapping = near, passing = near;
    for (std::size_t k = first; k < last; ++k) {
      const V limit = hn::Add(reach, constant(capsules.radius_m[k]));
      const Mask is_near = hn::Lt(squareFromAxis(middle, capsules, k), hn::Mul(limit, limit));
      if (hn::AllFalse(kDoubles, is_near)) continue;
      const Mask passes = hn::And(is_near, mayPass(moved, motions, k));
      const Mask overlaps = hn::Or(passes, hn::And(is_near, mayOverlap(bone, capsules, k)));
      const auto bit = hn::Set(Bits(), std::uint64_t{1} << (k - first));
      near = hn::Or(near, hn::IfThenElseZero(hn::RebindMask(Bits(), is_near), bit));
      overlapping = hn::Or(overlapping, hn::IfThenElseZero(hn::RebindMask(Bits(), overlaps), bit));
      passing = hn::Or(passing, hn::IfThenElseZero(hn::RebindMask(Bits(), passes), bit));
    }
    hn::StoreU(near, Bits(), bits.near.data() + i);
    hn::StoreU(overlapping, Bits(), bits.overlapping.data() + i);
    hn::StoreU(passing, Bits(), bits.passing.data() + i);
  }
}

void FindOverlappingCapsules(const ThickSegments& segments, const Capsules& capsules,
                             std::size_t first, std::uint64_t* overlapping) {
  const V half = constant(0.5);
  const std::size_t last = std::min<std::size_t>(first + kSolidBlock, capsules.size());
  for (std::size_t i = 0; i < segments.radius_m.size(); i += hn::Lanes(kDoubles)) {
    const V3 head = load(segments.head, i), end = load(segments.end, i);
    const V3 middle = (head + end) * half;
    const BoneAxis bone = boneAxis(head, end, load(segments.radius_m, i));
    const V reach = hn::Add(hn::Mul(bone.length, constant(0.5 + kSlackShare)), bone.radius);
    auto bits = hn::Zero(Bits());
    for (std::size_t k = first; k < last; ++k) {
      const V limit = hn::Add(reach, constant(capsules.body_m[k]));
      const Mask is_far = hn::Gt(squareFromAxis(middle, capsules, k), hn::Mul(limit, limit));
      if (hn::AllTrue(kDoubles, is_far)) continue;
      const Mask overlaps = hn::AndNot(is_far, mayOverlap(bone, capsules, k));
      const auto bit = hn::Set(Bits(), std::uint64_t{1} << (k - first));
      bits = hn::Or(bits, hn::IfThenElseZero(hn::RebindMask(Bits(), overlaps), bit));
    }
    hn::StoreU(bits, Bits(), overlapping + i);
  }
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::dynamic_bones {

HWY_EXPORT(FindNearCapsules);
HWY_EXPORT(FindOverlappingCapsules);

std::vector<std::uint64_t> allowedSolids(const Rig& rig) {
  const std::size_t blocks = (rig.colliders.size() + kSolidBlock - 1) / kSolidBlock;
  std::vector<std::uint64_t> allowed(blocks * rig.bones.size(), 0);
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    for (int i : rig.colliders_of_bone[b]) {
      const auto solid = toSize(i);
      allowed[solid / kSolidBlock * rig.bones.size() + b] |= std::uint64_t{1}
                                                             << (solid % kSolidBlock);
    }
  }
  return allowed;
}

void Capsules::resize(std::size_t count) {
  for (Column* column :
       {&x, &y, &z, &axis_x, &axis_y, &axis_z, &inverse_square, &radius_m, &body_m}) {
    column->resize(count);
  }
}

void Capsules::set(std::size_t k, const PathCapsule& capsule) {
  x[k] = capsule.head.x;
  y[k] = capsule.head.y;
  z[k] = capsule.head.z;
  axis_x[k] = capsule.axis.x;
  axis_y[k] = capsule.axis.y;
  axis_z[k] = capsule.axis.z;
  inverse_square[k] = capsule.inverse_square;
  radius_m[k] = capsule.radius_m;
  body_m[k] = capsule.body_m;
}

void SolidMotions::resize(std::size_t count) {
  for (Column* column : {&x, &y, &z, &shift_m, &rotation, &least_radius_m}) column->resize(count);
}

void SolidMotions::set(std::size_t k, const MovingSolid& solid) {
  x[k] = solid.before.position.x;
  y[k] = solid.before.position.y;
  z[k] = solid.before.position.z;
  shift_m[k] = solid.shift_m;
  rotation[k] = solid.rotation;
  least_radius_m[k] = leastRadius_m(*solid.solid);
}

ThickSegments::ThickSegments(std::size_t count) {
  const std::size_t lane_count = (count + kLaneBlock - 1) / kLaneBlock * kLaneBlock;
  head.assign(lane_count, Vec3(0.0));
  end.assign(lane_count, Vec3(0.0));
  radius_m.assign(lane_count, 0.0);
}

void findNearCapsules(const SpringLanes& lanes, std::size_t start, std::size_t end,
                      const Capsules& capsules, const SolidMotions& motions, std::size_t first,
                      const NearBits& bits) {
  HWY_DYNAMIC_DISPATCH(FindNearCapsules)(lanes, start, end, capsules, motions, first, bits);
}

void findOverlappingCapsules(const ThickSegments& segments, const Capsules& capsules,
                             std::size_t first, std::span<std::uint64_t> overlapping) {
  HWY_DYNAMIC_DISPATCH(FindOverlappingCapsules)(segments, capsules, first, overlapping.data());
}

}  // namespace clipmill::stages::dynamic_bones
#endif  // HWY_ONCE
