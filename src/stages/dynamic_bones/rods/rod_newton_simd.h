// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

/// Newton's method on the rotations of rods, for rod_step_simd.cc; guarded like
/// lane_vectors_simd.h.
#if defined(CLIPMILL_ROD_NEWTON_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CLIPMILL_ROD_NEWTON_SIMD_H
#undef CLIPMILL_ROD_NEWTON_SIMD_H
#else
#define CLIPMILL_ROD_NEWTON_SIMD_H
#endif

#include <limits>

#include <hwy/highway.h>

#include "core/to_size.h"
#include "stages/dynamic_bones/rods/rod_elimination_simd.h"
#include "stages/dynamic_bones/rods/rod_loads_simd.h"
#include "stages/dynamic_bones/rods/rod_motion_simd.h"
#include "stages/dynamic_bones/rods/rod_step.h"
#include "stages/dynamic_bones/rods/rod_vectors_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

constexpr int kMaxRodIterations = 24;
constexpr double kMaxRotation_rad = 0.5;  // in one iteration
constexpr double kLeastDecrease = 0.9;    // of the rotation from one iteration to the next
constexpr double kMinDamping = 1.0 / 16.0;
// The next iteration would change less than a hundredth of it.
constexpr double kConverged_rad = 1e-3;
// After smaller rotations the Hessian is nearly the same.
constexpr double kSameHessian_rad = 0.05;

// Rotates all bones by `share` of the solution where `mask` is set.
HWY_INLINE void rotateBones(RodBatch& batch, std::size_t lane, V share, Mask mask) {
  const V half = constant(0.5);
  for (std::size_t j = 0; j < batch.joints.size(); ++j) {
    const RodBatch::Joint& joint = batch.joints[j];
    const std::size_t i = RodBatch::at(j, lane);
    const V3 w = load(batch.rotation, i) * share;
    if (joint.isFork()) {
      const Q4 old = load(batch.world_from_joint, i);
      const Q4 small = {constant(1.0), hn::Mul(half, w.x), hn::Mul(half, w.y), hn::Mul(half, w.z)};
      const Q4 next = normalizedOrIdentity(small * old);
      store(select(mask, next, old), batch.world_from_joint, i);
      continue;
    }
    const std::size_t k = RodBatch::at(joint.bones_start, lane);
    const V3 old = load(batch.direction, k);
    const V3 rotated = old + cross(w, old + cross(w, old) * half);
    store(select(mask, unitOr(rotated, old), old), batch.direction, k);
  }
}

// The share of the solution by which no joint comes nearer to 180 degrees than by four fifths of
// the angle that is left: pi - 2 atan g = 2 atan(1 / g) >= 2 / (g + 2 / pi).
constexpr double kMostOfAngle = 0.8;

HWY_INLINE V unfoldedShare(const RodBatch& batch, std::size_t lane) {
  V share = constant(1.0);
  for (std::size_t j = 0; j < batch.joints.size(); ++j) {
    const RodBatch::Joint& joint = batch.joints[j];
    const std::size_t i = RodBatch::at(j, lane);
    V3 rotation = load(batch.rotation, i);
    if (joint.parent_joint >= 0) {
      rotation = rotation - load(batch.rotation, RodBatch::at(toSize(joint.parent_joint), lane));
    }
    const V3 bend = load(batch.bend, i) * load(batch.exists, i);
    const V g = lengthOf(bend), nearer = dot(rotation, bend);  // by the angle times g
    const V angle = hn::Mul(constant(2.0 * kMostOfAngle), g);
    const V cost = hn::Mul(hn::Add(g, constant(2.0 / kPi)), nearer);
    share = hn::IfThenElse(hn::Gt(hn::Mul(share, cost), angle), hn::Div(angle, cost), share);
  }
  return share;
}

// Whether that share is 1 in all lanes, by the largest bend and the largest rotation.
HWY_INLINE bool staysUnfolded(V max_bend_square, V rotation_rad) {
  constexpr double kMargin = 0.9;  // for rounding
  const V g = hn::Sqrt(max_bend_square);
  const V cost = hn::Mul(hn::Add(g, constant(2.0 / kPi)), hn::Mul(constant(2.0), rotation_rad));
  return hn::AllTrue(kDoubles, hn::Lt(cost, constant(2.0 * kMostOfAngle * kMargin)));
}

// The state of Newton's method; by lane, so that no tree changes the result of another one.
struct Newton {
  explicit Newton(Mask lanes)
      : is_open(lanes),
        has_failed(hn::AndNot(lanes, lanes)),
        last_rad(constant(std::numeric_limits<double>::infinity())),
        damping(constant(1.0)) {}

  Mask is_open, has_failed;
  V last_rad;  // the largest rotation in the last iteration
  V damping;   // share of the rotations that is applied
};

// One iteration where `lanes` is set, with a new Hessian or with that of the last iteration.
HWY_INLINE void iterate(RodBatch& batch, const RodTime& time, std::size_t lane, Mask lanes,
                        bool has_hessian, Newton& newton) {
  const V closest = constant(kConverged_rad);
  differentiateBones(batch, time, lane);
  const V max_bend_square = computeMoments(batch, time, lane);
  Mask is_bad = hn::AndNot(lanes, lanes);
  if (has_hessian) {
    eliminateLoads(batch, time, lane);
  } else {
    is_bad = eliminate(batch, time, lane);
  }
  const V rotation_rad = substitute(batch, lane);
  is_bad = hn::And(lanes, hn::Or(is_bad, hn::Not(hn::IsFinite(rotation_rad))));
  newton.has_failed = hn::Or(newton.has_failed, is_bad);
  newton.is_open = hn::AndNot(is_bad, newton.is_open);
  lanes = hn::AndNot(is_bad, lanes);
  // The linear system leaves out how a joint that is bent by nearly 180 degrees rolls what hangs
  // on it: iterations that go to and fro take shorter steps.
  const V least_decreased = hn::Mul(constant(kLeastDecrease), newton.last_rad);
  const Mask is_stuck = hn::And(lanes, hn::Gt(rotation_rad, least_decreased));
  newton.damping = hn::IfThenElse(
      is_stuck, hn::Max(hn::Mul(newton.damping, constant(0.5)), constant(kMinDamping)),
      newton.damping);
  newton.last_rad = hn::IfThenElse(lanes, rotation_rad, newton.last_rad);
  V share =
      hn::Min(newton.damping, hn::Div(constant(kMaxRotation_rad), hn::Max(rotation_rad, closest)));
  if (!staysUnfolded(max_bend_square, rotation_rad)) {
    share = hn::Min(share, unfoldedShare(batch, lane));
  }
  rotateBones(batch, lane, share, lanes);
  newton.is_open = hn::AndNot(hn::And(lanes, hn::Lt(rotation_rad, closest)), newton.is_open);
}

// Newton's method where `is_open` is set; returns the lanes that did not converge. Where a rotation
// was small, the next iteration has the same Hessian.
HWY_INLINE Mask equilibrate(RodBatch& batch, const RodTime& time, std::size_t lane, Mask is_open) {
  Newton newton(is_open);
  for (int i = 0; i < kMaxRodIterations && !hn::AllFalse(kDoubles, newton.is_open); ++i) {
    if (i > 0) setPose(batch, lane);
    iterate(batch, time, lane, newton.is_open, false, newton);
    const Mask is_near = hn::Lt(newton.last_rad, constant(kSameHessian_rad));
    const Mask again = hn::And(newton.is_open, is_near);
    if (hn::AllFalse(kDoubles, again)) continue;
    setPose(batch, lane);
    iterate(batch, time, lane, again, true, newton);
  }
  return hn::Or(newton.is_open, newton.has_failed);
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // guard
