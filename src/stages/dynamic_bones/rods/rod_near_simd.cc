// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_near_simd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/dynamic_bones/rods/rod_near_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/to_size.h"
#include "stages/dynamic_bones/rods/rod_motion_simd.h"
#include "stages/dynamic_bones/springs/capsule_axes_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

// The bits of the solids from `first` up to `last` for the bones at `k`.
HWY_INLINE hn::Vec<Bits> penetratingBits(const BoneAxis& bone, const RodReach& reach,
                                         const Capsules& capsules, std::size_t first,
                                         std::size_t last, double beyond_m, std::size_t k) {
  const V zero = hn::Zero(kDoubles), half = constant(0.5);
  const V slack = hn::Sub(hn::Mul(bone.length, constant(kSlackShare)), constant(beyond_m));
  const V3 middle = bone.head + bone.path * half;
  const V half_length = hn::Mul(bone.length, half);
  auto bits = hn::Zero(Bits());
  for (std::size_t s = first; s < last; ++s) {
    const V allowed = hn::Sub(hn::Add(bone.radius, slack), load(reach.rest_depth_m[s], k));
    const V limit = hn::Add(allowed, constant(capsules.body_m[s]));
    const V around = hn::Add(limit, half_length);
    const Mask is_far = hn::Gt(squareFromAxis(middle, capsules, s), hn::Mul(around, around));
    const Mask is_near = hn::AndNot(is_far, hn::Gt(limit, zero));
    if (hn::AllFalse(kDoubles, is_near)) continue;
    const Mask is_out = hn::Gt(squareBetweenAxes(bone, capsules, s), hn::Mul(limit, limit));
    const auto bit = hn::Set(Bits(), std::uint64_t{1} << (s - first));
    const Mask penetrates = hn::AndNot(is_out, is_near);
    bits = hn::Or(bits, hn::IfThenElseZero(hn::RebindMask(Bits(), penetrates), bit));
  }
  return bits;
}

void FindPenetratingRods(const RodBatch& batch, const RodReach& reach, const Capsules& capsules,
                         std::size_t first, double beyond_m, std::uint64_t* penetrating) {
  const std::size_t last = std::min<std::size_t>(first + kSolidBlock, capsules.size());
  for (const RodBatch::Joint& joint : batch.joints) {
    const V share = constant(joint.parent_bone < 0 ? 1.0 - kClampedShare : 1.0);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      for (std::size_t lane = 0; lane < batch.trees.size(); lane += hn::Lanes(kDoubles)) {
        const std::size_t k = RodBatch::at(b, lane);
        const V3 end = load(batch.next.position_m, k);
        const V3 path = (end - headOf(batch, joint, lane)) * share;
        const BoneAxis bone = boneAxis(end - path, end, load(reach.radius_m, k));
        hn::StoreU(penetratingBits(bone, reach, capsules, first, last, beyond_m, k), Bits(),
                   penetrating + k);
      }
    }
  }
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::dynamic_bones {

HWY_EXPORT(FindPenetratingRods);

void findPenetratingRods(const RodBatch& batch, const RodReach& reach, const Capsules& capsules,
                         std::size_t first, double beyond_m, std::span<std::uint64_t> penetrating) {
  HWY_DYNAMIC_DISPATCH(FindPenetratingRods)
  (batch, reach, capsules, first, beyond_m, penetrating.data());
}

}  // namespace clipmill::stages::dynamic_bones
#endif  // HWY_ONCE
