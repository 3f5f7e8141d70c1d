// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

/// An iteration of rods with the Hessian of the one before, for rod_newton_simd.h; guarded like
/// lane_vectors_simd.h.
#if defined(CLIPMILL_ROD_LOADS_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CLIPMILL_ROD_LOADS_SIMD_H
#undef CLIPMILL_ROD_LOADS_SIMD_H
#else
#define CLIPMILL_ROD_LOADS_SIMD_H
#endif

#include <hwy/highway.h>

#include "core/to_size.h"
#include "stages/dynamic_bones/rods/rod_elimination_simd.h"
#include "stages/dynamic_bones/rods/rod_step.h"
#include "stages/dynamic_bones/rods/rod_vectors_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

// What a bone and what hangs on its end ask of its joint, without the Hessian.
struct Loads {
  V3 push, torque;
};
HWY_INLINE Loads operator+(const Loads& p, const Loads& q) {
  return {p.push + q.push, p.torque + q.torque};
}

// The same as responseOf() gives.
HWY_INLINE Loads loadsOf(const RodBatch& batch, std::size_t k, const V3& head_deficit) {
  const V3 r = load(batch.direction, k) * load(batch.length_m, k);
  const V3 deficit = load(batch.deficit_mps2, k);
  const V sixth = hn::Mul(load(batch.mass, k), constant(1.0 / 6.0)), two = constant(2.0);
  const V3 at_head = (head_deficit * two + deficit) * sixth;
  const V3 at_end = (head_deficit + deficit * two) * sixth + load(batch.hanging.push, k);
  return {at_head + at_end, load(batch.hanging.torque, k) + cross(r, at_end)};
}

// The same as addHolds() adds.
HWY_INLINE Loads holdLoads(const RodBatch& batch, const RodTime& time, std::size_t k,
                           std::size_t lane) {
  const V stiffness = holdStiffness(batch, time, lane);
  const V3 end = load(batch.next.position_m, k);
  const V3 r = load(batch.direction, k) * load(batch.length_m, k);
  Loads loads = {zeroVector(), zeroVector()};
  for (const RodHoldLanes& hold : batch.holds) {
    const V3 normal = load(hold.normal, k);
    if (isFree(normal)) continue;
    const V share = load(hold.share, k);
    const V3 point = end - r * hn::Sub(constant(1.0), share);
    const V force = hn::Mul(stiffness, hn::Sub(dot(normal, point), load(hold.offset_m, k)));
    loads.push = loads.push + normal * force;
    loads.torque = loads.torque + cross(r, normal) * hn::Mul(share, force);
  }
  return loads;
}

// Eliminates the loads of a joint with one bone by its last Hessian. Its axes stay normal to the
// bone, so that the loads about them are zero at the solution.
HWY_INLINE void eliminateSwingLoads(RodBatch& batch, std::size_t j, std::size_t lane,
                                    Loads& loads) {
  const std::size_t i = RodBatch::at(j, lane);
  const V3 direction = load(batch.direction, RodBatch::at(batch.joints[j].bones_start, lane));
  const V3 old_1 = load(batch.axis_1, i), old_2 = load(batch.axis_2, i);
  const V3 axis_1 = old_1 - direction * dot(old_1, direction);
  const V3 axis_2 = old_2 - direction * dot(old_2, direction);
  const V3 load_of = loads.torque + load(batch.moment, i);
  const V load_1 = dot(axis_1, load_of), load_2 = dot(axis_2, load_of);
  store(axis_1, batch.axis_1, i);
  store(axis_2, batch.axis_2, i);
  store(load_1, batch.load_1, i);
  store(load_2, batch.load_2, i);
  if (batch.joints[j].parent_joint < 0) return;
  const V give_12 = load(batch.give_12, i);
  const V swing_1 = hn::Add(hn::Mul(load(batch.give_11, i), load_1), hn::Mul(give_12, load_2));
  const V swing_2 = hn::Add(hn::Mul(give_12, load_1), hn::Mul(load(batch.give_22, i), load_2));
  loads.push = loads.push - (load(batch.pull_1, i) * swing_1 + load(batch.pull_2, i) * swing_2);
  loads.torque = loads.torque - (load(batch.spin_1, i) * swing_1 + load(batch.spin_2, i) * swing_2);
}

// The same for a joint that rotates about all axes.
HWY_INLINE void eliminateForkLoads(RodBatch& batch, std::size_t j, std::size_t lane, Loads& loads) {
  const std::size_t i = RodBatch::at(j, lane);
  const V3 load_of = loads.torque + load(batch.moment, i);
  store(load_of, batch.load, i);
  const V3 rotation = load(batch.give, i) * load_of;
  loads.push = loads.push - load(batch.pull, i) * rotation;
  loads.torque = loads.torque - load(batch.spin, i) * rotation;
}

// The loads alone, from the tips to the root, with the Hessian of the last eliminate().
HWY_INLINE void eliminateLoads(RodBatch& batch, const RodTime& time, std::size_t lane) {
  for (std::size_t b = 0; b < batch.bone_count; ++b) {
    if (batch.joints_at_end[b] == 1) continue;
    store(zeroVector(), batch.hanging.push, RodBatch::at(b, lane));
    store(zeroVector(), batch.hanging.torque, RodBatch::at(b, lane));
  }
  for (std::size_t j = batch.joints.size(); j-- > 0;) {
    const RodBatch::Joint& joint = batch.joints[j];
    const V3 head_deficit = headDeficitOf(batch, joint, lane);
    Loads loads = {zeroVector(), zeroVector()};
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t k = RodBatch::at(b, lane);
      loads = loads + loadsOf(batch, k, head_deficit);
      if (batch.is_held) loads = loads + holdLoads(batch, time, k, lane);
    }
    if (joint.isFork()) {
      eliminateForkLoads(batch, j, lane, loads);
    } else {
      eliminateSwingLoads(batch, j, lane, loads);
    }
    if (joint.parent_bone < 0) continue;
    const std::size_t above = RodBatch::at(toSize(joint.parent_bone), lane);
    if (batch.joints_at_end[toSize(joint.parent_bone)] != 1) {
      loads = loads + Loads{load(batch.hanging.push, above), load(batch.hanging.torque, above)};
    }
    store(loads.push, batch.hanging.push, above);
    store(loads.torque, batch.hanging.torque, above);
  }
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // guard
