// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/dynamic_bones/rods/rod_step_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "stages/dynamic_bones/rods/rod_elimination_simd.h"
#include "stages/dynamic_bones/rods/rod_motion_simd.h"
#include "stages/dynamic_bones/rods/rod_newton_simd.h"
#include "stages/dynamic_bones/rods/rod_vectors_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

// Gives the bones the directions that they have between the points `from`, where `mask` is set.
HWY_INLINE void takeDirections(RodBatch& batch, const RodPointLanes& from, const V3& root,
                               std::size_t lane, Mask mask) {
  for (const RodBatch::Joint& joint : batch.joints) {
    const V3 head = joint.parent_bone < 0
                        ? root
                        : load(from.position_m, RodBatch::at(toSize(joint.parent_bone), lane));
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t k = RodBatch::at(b, lane);
      const V3 old = load(batch.direction, k);
      store(select(mask, unitOr(load(from.position_m, k) - head, old), old), batch.direction, k);
    }
  }
  for (std::size_t j = 0; j < batch.joints.size(); ++j) {
    takeParentAxes(batch, j, lane);
    if (batch.joints[j].isFork()) aimFork(batch, j, lane, mask);
    orient(batch, j, lane);
    setEnds(batch, batch.joints[j], lane);
  }
}

// An unsolved step leaves the rod as it was, carried along by its head.
HWY_INLINE void keepShape(RodBatch& batch, const RodTime& time, std::size_t lane, Mask mask) {
  takeDirections(batch, batch.end, load(batch.head.position_m, lane), lane, mask);
  for (std::size_t b = 0; b < batch.bone_count; ++b) {
    const std::size_t k = RodBatch::at(b, lane);
    const V3 speed = (load(batch.next.position_m, k) - load(batch.end.position_m, k)) *
                     constant(1.0 / time.step_s);
    store(select(mask, speed, load(batch.next.velocity_mps, k)), batch.next.velocity_mps, k);
    for (Vec3Lanes* part : {&batch.next.algorithmic_mps2, &batch.next.acceleration_mps2}) {
      store(select(mask, zeroVector(), load(*part, k)), *part, k);
    }
  }
}

// The velocities of the ends of a bone; of a clamped head, that of what it hangs on.
struct BoneVelocities {
  V3 head, end;
  V3 at(V share) const { return head * hn::Sub(constant(1.0), share) + end * share; }
};

HWY_INLINE BoneVelocities freeVelocities(const RodBatch& batch, int head, std::size_t k,
                                         std::size_t lane) {
  return {head < 0 ? load(batch.next_head.velocity_mps, lane)
                   : load(batch.free.velocity_mps, RodBatch::at(toSize(head), lane)),
          load(batch.free.velocity_mps, k)};
}

// How far the holds moved the end of a bone.
HWY_INLINE V3 shiftOf(const RodBatch& batch, std::size_t k) {
  return load(batch.next.position_m, k) - load(batch.free.position_m, k);
}

// The speed along the normal of a hold after the impulse: that of the solid, unless the point
// leaves it faster by itself.
HWY_INLINE V wantedSpeed(const RodHoldLanes& hold, std::size_t k, V free_speed) {
  return hn::Max(load(hold.speed_mps, k), free_speed);
}

// The share of the impulses by which no point leaves its solid: the shift out of a solid that a
// bone was already in is no impulse.
HWY_INLINE V impulseShare(const RodBatch& batch, const RodTime& time, std::size_t lane) {
  const V zero = hn::Zero(kDoubles), per_step = constant(1.0 / time.step_s);
  V least = hn::IfThenElseZero(hn::Eq(load(batch.is_unsolved, lane), zero), constant(1.0));
  for (const RodBatch::Joint& joint : batch.joints) {
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t k = RodBatch::at(b, lane);
      const BoneVelocities free = freeVelocities(batch, joint.parent_bone, k, lane);
      const V3 head_shift = joint.parent_bone < 0
                                ? zeroVector()
                                : shiftOf(batch, RodBatch::at(toSize(joint.parent_bone), lane));
      const BoneVelocities change = {head_shift * per_step, shiftOf(batch, k) * per_step};
      for (const RodHoldLanes& hold : batch.holds) {
        const V3 normal = load(hold.normal, k);
        if (isFree(normal)) continue;
        const V share = load(hold.share, k);
        const V speed = dot(normal, free.at(share)), gain = dot(normal, change.at(share));
        const V allowed = hn::Sub(wantedSpeed(hold, k, speed), speed);
        least =
            hn::IfThenElse(hn::Gt(gain, allowed), hn::Min(least, hn::Div(allowed, gain)), least);
      }
    }
  }
  return least;
}

// Velocities and accelerations without holds, and the impulse of the holds.
HWY_INLINE void takeFreeRates(RodBatch& batch, const RodTime& time, std::size_t lane) {
  const V per_step = hn::Mul(impulseShare(batch, time, lane), constant(1.0 / time.step_s));
  for (std::size_t b = 0; b < batch.bone_count; ++b) {
    const std::size_t k = RodBatch::at(b, lane);
    store(load(batch.free.velocity_mps, k) + shiftOf(batch, k) * per_step, batch.next.velocity_mps,
          k);
    store(load(batch.free.algorithmic_mps2, k), batch.next.algorithmic_mps2, k);
    store(load(batch.free.acceleration_mps2, k), batch.next.acceleration_mps2, k);
  }
}

// Brings the point of a hold to its speed, and brakes it across, by the least change of the
// velocities of its bone's ends.
HWY_INLINE void stopAt(const RodHoldLanes& hold, RodBatch& batch, int head, std::size_t k,
                       std::size_t lane) {
  constexpr double kLeastWeight = 0.1;  // less is changed where the point is near a clamped head
  const V zero = hn::Zero(kDoubles);
  const V3 normal = load(hold.normal, k);
  if (isFree(normal)) return;
  const V share = load(hold.share, k), rest = hn::Sub(constant(1.0), share);
  const Mask is_held = hn::Gt(dot(normal, normal), zero);
  const bool is_clamped = head < 0;
  const std::size_t h = is_clamped ? lane : RodBatch::at(toSize(head), lane);
  const BoneVelocities now = {
      load(is_clamped ? batch.next_head.velocity_mps : batch.next.velocity_mps, h),
      load(batch.next.velocity_mps, k)};
  const V3 velocity = now.at(share);
  const V speed = dot(normal, velocity);
  const V free_speed = dot(normal, freeVelocities(batch, head, k, lane).at(share));
  const V wanted = wantedSpeed(hold, k, free_speed);
  const V3 across = velocity - normal * speed;
  const V slip = lengthOf(across);
  const V braked = hn::Min(slip, hn::Mul(load(hold.friction, k), hn::Sub(wanted, free_speed)));
  const V3 change = normal * hn::Sub(wanted, speed) -
                    across * hn::IfThenElseZero(hn::Gt(slip, zero), hn::Div(braked, slip));
  const V own = hn::Mul(share, share), others = is_clamped ? zero : hn::Mul(rest, rest);
  const V weight = hn::Max(hn::Add(own, others), constant(kLeastWeight));
  const V3 applied = change * hn::IfThenElseZero(is_held, hn::Div(constant(1.0), weight));
  store(now.end + applied * share, batch.next.velocity_mps, k);
  if (!is_clamped) store(now.head + applied * rest, batch.next.velocity_mps, h);
}

void ApplyHoldImpulses(RodBatch& batch, const RodTime& time) {
  for (std::size_t lane = 0; lane < batch.trees.size(); lane += hn::Lanes(kDoubles)) {
    takeFreeRates(batch, time, lane);
    for (const RodBatch::Joint& joint : batch.joints) {
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        const std::size_t k = RodBatch::at(b, lane);
        for (const RodHoldLanes& hold : batch.holds) {
          stopAt(hold, batch, joint.parent_bone, k, lane);
        }
      }
    }
  }
}

// Solves the lanes of a register from their current directions.
HWY_INLINE std::size_t solveLanes(RodBatch& batch, const RodTime& time, std::size_t lane) {
  const Mask all = hn::FirstN(kDoubles, batch.trees.size() - lane);
  const Mask has_failed = equilibrate(batch, time, lane, all);
  setPose(batch, lane);
  differentiateBones(batch, time, lane);
  if (hn::AllFalse(kDoubles, has_failed)) return 0;
  keepShape(batch, time, lane, has_failed);
  return hn::CountTrue(kDoubles, has_failed);
}

std::size_t SolveRodStep(RodBatch& batch, const RodTime& time) {
  std::size_t unsolved = 0;
  for (std::size_t lane = 0; lane < batch.trees.size(); lane += hn::Lanes(kDoubles)) {
    moveHead(batch, time, lane);
    takeRestShare(batch, lane);
    predict(batch, time, lane);
    unsolved += solveLanes(batch, time, lane);
  }
  return unsolved;
}

// Rotates a bone about its head by the least angle that brings the point of a hold to its plane, or
// as near as it gets, where `mask` is set.
HWY_INLINE V3 heldDirection(const RodHoldLanes& hold, const V3& head, const V3& direction, V length,
                            std::size_t k, Mask mask) {
  constexpr double kMostRise = 0.98;  // of a bone along the normal: a direction across is left
  const V zero = hn::Zero(kDoubles), one = constant(1.0);
  const V3 normal = load(hold.normal, k);
  const V arm = hn::Mul(length, load(hold.share, k));
  const V wanted = hn::Sub(load(hold.offset_m, k), dot(normal, head));
  const V rise = dot(normal, direction);
  const Mask is_in =
      hn::And(hn::And(mask, hn::Gt(arm, zero)),
              hn::And(hn::Gt(dot(normal, normal), zero), hn::Gt(wanted, hn::Mul(arm, rise))));
  const V3 across = direction - normal * rise;
  const V breadth = lengthOf(across);
  const V next_rise = hn::Max(rise, hn::Min(hn::Div(wanted, arm), constant(kMostRise)));
  const V share =
      hn::Div(hn::Sqrt(hn::Max(hn::Sub(one, hn::Mul(next_rise, next_rise)), zero)), breadth);
  const V3 raised = unitOr(across * share + normal * next_rise, direction);
  return select(hn::And(is_in, hn::Gt(breadth, constant(1e-6))), raised, direction);
}

// Bones that start between the points `from` rotate out of the planes one after the other, from the
// root to the tips.
HWY_INLINE void rotateOut(RodBatch& batch, const RodPointLanes& from, std::size_t lane, Mask mask) {
  takeDirections(batch, from, load(batch.next_head.position_m, lane), lane, mask);
  for (std::size_t j = 0; j < batch.joints.size(); ++j) {
    const RodBatch::Joint& joint = batch.joints[j];
    takeParentAxes(batch, j, lane);
    const V3 head = headOf(batch, joint, lane);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t k = RodBatch::at(b, lane);
      const V length = load(batch.length_m, k);
      V3 direction = load(batch.direction, k);
      for (int sweep = 0; sweep < 2; ++sweep) {
        for (const RodHoldLanes& hold : batch.holds) {
          direction = heldDirection(hold, head, direction, length, k, mask);
        }
      }
      store(direction, batch.direction, k);
    }
    if (joint.isFork()) aimFork(batch, j, lane, mask);
    orient(batch, j, lane);
    setEnds(batch, joint, lane);
  }
}

std::size_t SolveHeldRodStep(RodBatch& batch, const RodTime& time, const double* is_open) {
  std::size_t unsolved = 0;
  for (std::size_t lane = 0; lane < batch.trees.size(); lane += hn::Lanes(kDoubles)) {
    const Mask open = hn::Gt(hn::LoadU(kDoubles, is_open + lane), hn::Zero(kDoubles));
    if (hn::AllFalse(kDoubles, open)) continue;
    const Mask has_failed = equilibrate(batch, time, lane, open);
    setPose(batch, lane);
    // Where there is no solution, stiffness waits for the next step.
    if (!hn::AllFalse(kDoubles, has_failed)) rotateOut(batch, batch.free, lane, has_failed);
    const V failed = hn::IfThenElseZero(has_failed, constant(1.0));
    store(hn::IfThenElse(open, failed, load(batch.is_unsolved, lane)), batch.is_unsolved, lane);
    unsolved += hn::CountTrue(kDoubles, has_failed);
  }
  return unsolved;
}

void RotateRodsOut(RodBatch& batch) {
  for (std::size_t lane = 0; lane < batch.trees.size(); lane += hn::Lanes(kDoubles)) {
    const V zero = hn::Zero(kDoubles);
    rotateOut(batch, batch.next, lane, hn::Ge(zero, zero));
  }
}

void OrientRods(RodBatch& batch, const double* is_chosen) {
  for (std::size_t lane = 0; lane < batch.trees.size(); lane += hn::Lanes(kDoubles)) {
    const Mask mask = hn::Gt(hn::LoadU(kDoubles, is_chosen + lane), hn::Zero(kDoubles));
    for (std::size_t j = 0; j < batch.joints.size(); ++j) {
      const RodBatch::Joint& joint = batch.joints[j];
      const V3 head = headOf(batch, joint, lane);
      takeParentAxes(batch, j, lane);
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        const std::size_t k = RodBatch::at(b, lane);
        const V3 old = load(batch.direction, k), path = load(batch.next.position_m, k) - head;
        store(select(mask, unitOr(path, old), old), batch.direction, k);
      }
      if (joint.isFork()) aimFork(batch, j, lane, mask);
      orient(batch, j, lane);
    }
  }
}

void PoseRods(RodBatch& batch) {
  for (std::size_t lane = 0; lane < batch.trees.size(); lane += hn::Lanes(kDoubles)) {
    for (std::size_t j = 0; j < batch.joints.size(); ++j) {
      const RodBatch::Joint& joint = batch.joints[j];
      const std::size_t i = RodBatch::at(j, lane);
      const V3 head = headOf(batch, joint, lane);
      const Q4 axes = takeParentAxes(batch, j, lane);
      if (joint.isFork()) store(axes * load(batch.drawn, i), batch.world_from_joint, i);
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        const std::size_t k = RodBatch::at(b, lane);
        const V3 direction = axes * load(batch.carried, k);
        store(direction, batch.direction, k);
        store(head + direction * load(batch.length_m, k), batch.next.position_m, k);
      }
      orient(batch, j, lane);
    }
  }
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::dynamic_bones {

HWY_EXPORT(SolveRodStep);
HWY_EXPORT(SolveHeldRodStep);
HWY_EXPORT(ApplyHoldImpulses);
HWY_EXPORT(RotateRodsOut);
HWY_EXPORT(OrientRods);
HWY_EXPORT(PoseRods);

namespace {

// 1 in the lanes whose bits are set, else 0.
struct LaneFlags {
  explicit LaneFlags(std::uint32_t lanes) {
    for (std::size_t k = 0; k < kLaneBlock; ++k) values[k] = (lanes >> k & 1U) != 0 ? 1.0 : 0.0;
  }
  double values[kLaneBlock];
};

}  // namespace

RodTime makeRodTime(double step_s) {
  // Chung and Hulbert 1993: second order, the least damping of low frequencies for that radius.
  constexpr double kSpectralRadius = 0.3;  // at infinite frequency: 0 = most, 1 = no damping
  RodTime time;
  time.step_s = step_s;
  time.alpha_m = (2.0 * kSpectralRadius - 1.0) / (kSpectralRadius + 1.0);
  time.alpha_f = kSpectralRadius / (kSpectralRadius + 1.0);
  time.gamma = 0.5 + time.alpha_f - time.alpha_m;
  time.beta = 0.25 * (time.gamma + 0.5) * (time.gamma + 0.5);
  time.velocity_per_m = time.gamma / (time.beta * step_s);
  time.acceleration_per_m =
      (1.0 - time.alpha_m) / ((1.0 - time.alpha_f) * time.beta * step_s * step_s);
  return time;
}

std::size_t solveRodStep(RodBatch& batch, const RodTime& time) {
  return HWY_DYNAMIC_DISPATCH(SolveRodStep)(batch, time);
}

std::size_t solveHeldRodStep(RodBatch& batch, const RodTime& time) {
  const LaneFlags is_open(batch.open_lanes);
  return HWY_DYNAMIC_DISPATCH(SolveHeldRodStep)(batch, time, is_open.values);
}

void applyHoldImpulses(RodBatch& batch, const RodTime& time) {
  HWY_DYNAMIC_DISPATCH(ApplyHoldImpulses)(batch, time);
}

void rotateRodsOut(RodBatch& batch) { HWY_DYNAMIC_DISPATCH(RotateRodsOut)(batch); }

void orientRods(RodBatch& batch, std::uint32_t lanes) {
  const LaneFlags is_chosen(lanes);
  HWY_DYNAMIC_DISPATCH(OrientRods)(batch, is_chosen.values);
}

void poseRods(RodBatch& batch) { HWY_DYNAMIC_DISPATCH(PoseRods)(batch); }

}  // namespace clipmill::stages::dynamic_bones
#endif  // HWY_ONCE
