// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

/// Orientation, position and acceleration of rods, for rod_step_simd.cc; guarded like
/// lane_vectors_simd.h. `lane` is the first lane of the register.
#if defined(CLIPMILL_ROD_MOTION_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CLIPMILL_ROD_MOTION_SIMD_H
#undef CLIPMILL_ROD_MOTION_SIMD_H
#else
#define CLIPMILL_ROD_MOTION_SIMD_H
#endif

#include <hwy/highway.h>

#include "core/to_size.h"
#include "stages/dynamic_bones/rods/rod_step.h"
#include "stages/dynamic_bones/rods/rod_vectors_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

HWY_INLINE V3 headOf(const RodBatch& batch, const RodBatch::Joint& joint, std::size_t lane) {
  return joint.parent_bone < 0
             ? load(batch.next_head.position_m, lane)
             : load(batch.next.position_m, RodBatch::at(toSize(joint.parent_bone), lane));
}

HWY_INLINE Q4 takeParentAxes(RodBatch& batch, std::size_t j, std::size_t lane) {
  const RodBatch::Joint& joint = batch.joints[j];
  const std::size_t i = RodBatch::at(j, lane);
  Q4 axes = joint.parent_joint < 0
                ? load(batch.world_from_base, lane)
                : load(batch.world_from_joint, RodBatch::at(toSize(joint.parent_joint), lane));
  if (!joint.is_straight) axes = axes * load(batch.between, i);
  store(axes, batch.world_from_parent, i);
  return axes;
}

// Orientation and strain of a joint by the directions of its bones.
HWY_INLINE void orient(RodBatch& batch, std::size_t j, std::size_t lane) {
  const RodBatch::Joint& joint = batch.joints[j];
  const std::size_t i = RodBatch::at(j, lane);
  const Q4 world_from_parent = load(batch.world_from_parent, i);
  if (joint.isFork()) {
    // The state is the rotation itself.
    const Q4 rotation = load(batch.world_from_joint, i);
    const Q4 drawn = world_from_parent * load(batch.drawn, i);
    const Q4 bend =
        conjugate(world_from_parent) * (rotation * conjugate(drawn)) * world_from_parent;
    store(strainOf(bend), batch.next_strain, i);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t k = RodBatch::at(b, lane);
      store(rotation * load(batch.in_joint, k), batch.direction, k);
    }
    return;
  }
  const std::size_t k = RodBatch::at(joint.bones_start, lane);
  const V3 direction = conjugate(world_from_parent) * load(batch.direction, k);
  const Q4 arc = arcBetween(load(batch.aim, k), direction);
  store(strainOf(joint.is_aimed_as_carried ? arc : arcBetween(load(batch.carried, k), direction)),
        batch.next_strain, i);
  store(world_from_parent * (arc * load(batch.rolled, i)), batch.world_from_joint, i);
}

// Where `mask` is set: the joint's rotation that comes nearest to the directions of its bones.
HWY_INLINE void aimFork(RodBatch& batch, std::size_t j, std::size_t lane, Mask mask) {
  const RodBatch::Joint& joint = batch.joints[j];
  const std::size_t i = RodBatch::at(j, lane);
  const V zero = hn::Zero(kDoubles);
  const Q4 base = load(batch.world_from_parent, i) * load(batch.rolled, i);
  Q4 sum = {zero, zero, zero, zero};
  for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
    const std::size_t k = RodBatch::at(b, lane);
    const Q4 arc = arcBetween(base * load(batch.in_joint, k), load(batch.direction, k));
    sum = sum + arc * hn::IfThenElse(hn::Lt(dot(sum, arc), zero), constant(-1.0), constant(1.0));
  }
  const Q4 aimed = normalizedOrIdentity(normalizedOrIdentity(sum) * base);
  store(select(mask, aimed, load(batch.world_from_joint, i)), batch.world_from_joint, i);
}

HWY_INLINE V3 extrapolated(const RodTime& time, const RodPointLanes& from, std::size_t i) {
  const V3 move = load(from.velocity_mps, i) +
                  load(from.algorithmic_mps2, i) * constant((0.5 - time.beta) * time.step_s);
  return load(from.position_m, i) + move * constant(time.step_s);
}

struct Rates {
  V3 velocity, acceleration;
};

// Velocity and accelerations that belong to the new position.
HWY_INLINE Rates differentiate(const RodTime& time, const RodPointLanes& from,
                               const V3& predicted_m, RodPointLanes& to, std::size_t i) {
  const V3 old = load(from.algorithmic_mps2, i);
  const V3 algorithmic = (load(to.position_m, i) - predicted_m) *
                         constant(1.0 / (time.beta * time.step_s * time.step_s));
  const V3 velocity = load(from.velocity_mps, i) +
                      (old * constant(1.0 - time.gamma) + algorithmic * constant(time.gamma)) *
                          constant(time.step_s);
  const V3 acceleration =
      (algorithmic * constant(1.0 - time.alpha_m) + old * constant(time.alpha_m) -
       load(from.acceleration_mps2, i) * constant(time.alpha_f)) *
      constant(1.0 / (1.0 - time.alpha_f));
  store(algorithmic, to.algorithmic_mps2, i);
  store(velocity, to.velocity_mps, i);
  store(acceleration, to.acceleration_mps2, i);
  return {velocity, acceleration};
}

// The acceleration minus what gravity, wind and air give, for a point with the values of a bone.
HWY_INLINE V3 deficitOf(const RodBatch& batch, const Rates& rates, std::size_t bone_at) {
  V3 deficit = (rates.acceleration + rates.velocity * load(batch.air_drag_per_s, bone_at)) -
               load(batch.wind_mps2, bone_at);
  deficit.y = hn::Sub(deficit.y, load(batch.gravity_mps2, bone_at));
  return deficit;
}

HWY_INLINE void moveHead(RodBatch& batch, const RodTime& time, std::size_t lane) {
  const V3 predicted_m = extrapolated(time, batch.head, lane);
  const Rates rates = differentiate(time, batch.head, predicted_m, batch.next_head, lane);
  const std::size_t first = RodBatch::at(batch.joints.front().bones_start, lane);
  store(deficitOf(batch, rates, first), batch.head_deficit_mps2, lane);
}

HWY_INLINE void setEnds(RodBatch& batch, const RodBatch::Joint& joint, std::size_t lane) {
  const V3 head = headOf(batch, joint, lane);
  for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
    const std::size_t k = RodBatch::at(b, lane);
    store(head + load(batch.direction, k) * load(batch.length_m, k), batch.next.position_m, k);
  }
}

// Whether a bend went through 180 degrees, where its axis reverses.
HWY_INLINE Mask isFoldedThrough(const V3& old_strain, const V3& strain) {
  constexpr double kLeastSquare = 4.0;  // of strains; 106 degrees
  const V least = constant(kLeastSquare);
  return hn::And(
      hn::Lt(dot(old_strain, strain), hn::Zero(kDoubles)),
      hn::And(hn::Gt(dot(old_strain, old_strain), least), hn::Gt(dot(strain, strain), least)));
}

// A joint that the prediction folds through 180 degrees stays bent as it was.
HWY_INLINE void keepSide(RodBatch& batch, std::size_t j, std::size_t lane) {
  const std::size_t i = RodBatch::at(j, lane);
  const std::size_t k = RodBatch::at(batch.joints[j].bones_start, lane);
  const V3 old_strain = load(batch.strain, i);
  const Mask is_through = isFoldedThrough(old_strain, load(batch.next_strain, i));
  if (hn::AllFalse(kDoubles, is_through)) return;
  const V3 kept =
      load(batch.world_from_parent, i) * (rotationOfStrain(old_strain) * load(batch.carried, k));
  store(select(is_through, kept, load(batch.direction, k)), batch.direction, k);
  orient(batch, j, lane);
}

// The share of the rest moments that counts in the current orientation of the clamped joints.
HWY_INLINE void takeRestShare(RodBatch& batch, std::size_t lane) {
  constexpr double kGoneCosine = 0.5;  // of the angle to the bind orientation, to gravity
  const V zero = hn::Zero(kDoubles), one = constant(1.0), two = constant(2.0);
  const V3 up = conjugate(load(batch.world_from_base, lane)) * V3{zero, one, zero};
  const V near = hn::Mul(hn::Sub(dot(up, load(batch.bind_up, lane)), constant(kGoneCosine)),
                         constant(1.0 / (1.0 - kGoneCosine)));
  const V x = hn::Min(hn::Max(near, zero), one);
  const V smooth = hn::Mul(hn::Mul(x, x), hn::Sub(constant(3.0), hn::Mul(two, x)));
  const V gone = hn::Mul(load(batch.passing_share, lane), hn::Sub(one, smooth));
  store(hn::Sub(one, gone), batch.rest_share, lane);
}

// Where the last velocities and accelerations would put all bones.
HWY_INLINE void predict(RodBatch& batch, const RodTime& time, std::size_t lane) {
  const V ahead_s2 = constant(time.beta * time.step_s * time.step_s);
  for (std::size_t j = 0; j < batch.joints.size(); ++j) {
    const RodBatch::Joint& joint = batch.joints[j];
    const V3 head = headOf(batch, joint, lane);
    takeParentAxes(batch, j, lane);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t k = RodBatch::at(b, lane);
      const V3 predicted_m = extrapolated(time, batch.end, k);
      store(predicted_m, batch.predicted_m, k);
      const V3 ahead = predicted_m + load(batch.end.algorithmic_mps2, k) * ahead_s2;
      store(unitOr(ahead - head, load(batch.direction, k)), batch.direction, k);
    }
    if (joint.isFork()) aimFork(batch, j, lane, hn::Ge(ahead_s2, ahead_s2));
    orient(batch, j, lane);
    if (!joint.isFork()) keepSide(batch, j, lane);
    setEnds(batch, joint, lane);
  }
}

// Orientations and positions under the current directions.
HWY_INLINE void setPose(RodBatch& batch, std::size_t lane) {
  for (std::size_t j = 0; j < batch.joints.size(); ++j) {
    takeParentAxes(batch, j, lane);
    orient(batch, j, lane);
    setEnds(batch, batch.joints[j], lane);
  }
}

HWY_INLINE void differentiateBones(RodBatch& batch, const RodTime& time, std::size_t lane) {
  for (std::size_t b = 0; b < batch.bone_count; ++b) {
    const std::size_t k = RodBatch::at(b, lane);
    const Rates rates = differentiate(time, batch.end, load(batch.predicted_m, k), batch.next, k);
    const V3 swing = rates.velocity - load(batch.next_head.velocity_mps, lane);
    store(deficitOf(batch, rates, k) + swing * load(batch.head_drag_per_s, k), batch.deficit_mps2,
          k);
  }
}

// The angular velocity w of a joint by the rate of its strain s. With q = s / 4,
// ds = ((1 - q^2) w - 2 q x w + 2 q (q . w)) dt (modified Rodrigues parameters, Schaub and Junkins
// 1996); that matrix is 1 + q^2 times a rotation.
HWY_INLINE V3 angularVelocityOf(const V3& strain, const V3& rate) {
  const V3 q = strain * constant(0.25);
  const V square = dot(q, q), one = constant(1.0), two = constant(2.0);
  const V3 rotated = rate * hn::Sub(one, square) + (cross(q, rate) + q * dot(q, rate)) * two;
  const V scale = hn::Add(one, square);
  return rotated * hn::Div(one, hn::Mul(scale, scale));
}

// The axis of a bend times tan(angle / 2).
HWY_INLINE V3 bendOf(const V3& strain) {
  constexpr double kLeastGap = 1e-6;  // bounds the moment where a bone lies on the one before
  const V square = hn::Mul(dot(strain, strain), constant(1.0 / 16.0));
  const V gap = hn::Max(hn::Sub(constant(1.0), square), constant(kLeastGap));
  return strain * hn::Div(constant(0.5), gap);
}

// Of the springs of all joints. Returns the square of the largest bend (RodBatch::bend).
HWY_INLINE V computeMoments(RodBatch& batch, const RodTime& time, std::size_t lane) {
  const V per_step = constant(1.0 / time.step_s), rest_share = load(batch.rest_share, lane);
  V max_square = hn::Zero(kDoubles);
  for (std::size_t j = 0; j < batch.joints.size(); ++j) {
    const std::size_t i = RodBatch::at(j, lane);
    const V3 strain = load(batch.next_strain, i), old = load(batch.strain, i);
    const V3 rate = (strain * constant(1.5) - old * constant(2.0) +
                     load(batch.strain_before, i) * constant(0.5)) *
                    per_step;
    const V3 damping = select(isFoldedThrough(old, strain), zeroVector(),
                              angularVelocityOf(strain, rate) * load(batch.damping_s, i));
    const V3 bend = bendOf(strain);
    const V3 moment = (bend * constant(2.0) + damping) * load(batch.stiffness, i) -
                      load(batch.rest_moment, i) * rest_share;
    const Q4 world_from_parent = load(batch.world_from_parent, i);
    store(world_from_parent * moment, batch.moment, i);
    store(world_from_parent * bend, batch.bend, i);
    max_square = hn::Max(max_square, hn::Mul(dot(bend, bend), load(batch.exists, i)));
  }
  return max_square;
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // guard
