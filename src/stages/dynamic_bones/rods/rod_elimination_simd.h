// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

/// The linear system of a Newton iteration of rods, for rod_step_simd.cc; guarded like
/// lane_vectors_simd.h.
#if defined(CLIPMILL_ROD_ELIMINATION_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CLIPMILL_ROD_ELIMINATION_SIMD_H
#undef CLIPMILL_ROD_ELIMINATION_SIMD_H
#else
#define CLIPMILL_ROD_ELIMINATION_SIMD_H
#endif

#include <hwy/highway.h>

#include "core/to_size.h"
#include "stages/dynamic_bones/rods/rod_motion_simd.h"
#include "stages/dynamic_bones/rods/rod_step.h"
#include "stages/dynamic_bones/rods/rod_vectors_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

constexpr double kMinGiveShare = 1e-14;  // of a joint's Hessian

// See RodResponseLanes.
struct Response {
  S6 a;
  M3 b;
  S6 c;
  V3 push, torque;
};

HWY_INLINE Response load(const RodResponseLanes& l, std::size_t i) {
  return {load(l.a, i), load(l.b, i), load(l.c, i), load(l.push, i), load(l.torque, i)};
}
HWY_INLINE void store(const Response& r, RodResponseLanes& l, std::size_t i) {
  store(r.a, l.a, i);
  store(r.b, l.b, i);
  store(r.c, l.c, i);
  store(r.push, l.push, i);
  store(r.torque, l.torque, i);
}
HWY_INLINE Response noResponse() {
  const S6 none = scaledIdentity(hn::Zero(kDoubles));
  const V3 zero = zeroVector();
  return {none, {zero, zero, zero}, none, zero, zero};
}
HWY_INLINE Response operator+(const Response& p, const Response& q) {
  return {p.a + q.a, p.b + q.b, p.c + q.c, p.push + q.push, p.torque + q.torque};
}

// Whether a hold is free in all lanes.
HWY_INLINE bool isFree(const V3& normal) {
  return hn::AllFalse(kDoubles, hn::Gt(dot(normal, normal), hn::Zero(kDoubles)));
}

HWY_INLINE V holdStiffness(const RodBatch& batch, const RodTime& time, std::size_t lane) {
  // Over the inertia of the whole tree: a point sinks in by a thirtieth of its path in a step.
  constexpr double kHoldStiffness = 30.0;
  return hn::Mul(load(batch.tree_mass, lane), constant(kHoldStiffness * time.acceleration_per_m));
}

// Adds the springs that push points of a bone onto their planes. `response`: of the bone's head.
HWY_INLINE void addHolds(const RodBatch& batch, const RodTime& time, std::size_t k,
                         std::size_t lane, Response& response) {
  const V stiffness = holdStiffness(batch, time, lane);
  const V zero = hn::Zero(kDoubles), one = constant(1.0);
  const V3 end = load(batch.next.position_m, k), direction = load(batch.direction, k);
  const V3 r = direction * load(batch.length_m, k);
  const S6 straight = scaledIdentity(one) - outer(direction, direction);
  for (const RodHoldLanes& hold : batch.holds) {
    const V3 normal = load(hold.normal, k);
    if (isFree(normal)) continue;
    const V share = load(hold.share, k);
    const V3 point = end - r * hn::Sub(one, share);
    const V gap = hn::Sub(dot(normal, point), load(hold.offset_m, k));
    const V3 arm = cross(r, normal) * share;
    const V force = hn::Mul(stiffness, gap);
    response.a = response.a + outer(normal, normal) * stiffness;
    const V3 pulled = normal * stiffness;
    response.b.a = response.b.a + pulled * arm.x;
    response.b.b = response.b.b + pulled * arm.y;
    response.b.c = response.b.c + pulled * arm.z;
    response.c = response.c + outer(arm, arm) * stiffness;
    response.push = response.push + normal * force;
    response.torque = response.torque + arm * force;
    // A bone that points out of the solid is held straight by the force, as by tension.
    const V pulled_out = hn::Max(hn::Neg(hn::Mul(hn::Mul(force, share), dot(normal, r))), zero);
    response.c = response.c + straight * pulled_out;
  }
}

// A bone with what hangs on its end, as the response of its joint's head.
HWY_INLINE Response responseOf(const RodBatch& batch, const RodTime& time, std::size_t k,
                               const V3& head_deficit, const Response& hanging) {
  const V length = load(batch.length_m, k), mass = load(batch.mass, k);
  const V3 direction = load(batch.direction, k), deficit = load(batch.deficit_mps2, k);
  const V3 r = direction * length;
  const V drag_per_s = hn::Add(load(batch.air_drag_per_s, k), load(batch.head_drag_per_s, k));
  const V inertia = hn::Mul(mass, hn::Add(constant(time.acceleration_per_m),
                                          hn::Mul(drag_per_s, constant(time.velocity_per_m))));
  const M3 ax = timesCross(matrixOf(hanging.a), r), xb = crossColumns(r, hanging.b);
  Response response;
  response.a = hanging.a + scaledIdentity(inertia);
  response.b = (hanging.b - ax) - crossMatrix(r, hn::Mul(constant(0.5), inertia));
  const V third = hn::Mul(inertia, constant(1.0 / 3.0));
  response.c = (hanging.c - upperOf(crossColumns(r, ax))) + withTransposed(xb) +
               (scaledIdentity(hn::Mul(third, hn::Mul(length, length))) - outer(r, r) * third);
  const V sixth = hn::Mul(mass, constant(1.0 / 6.0)), two = constant(2.0);
  const V3 at_head = (head_deficit * two + deficit) * sixth;
  const V3 at_end = (head_deficit + deficit * two) * sixth + hanging.push;
  // Tension holds the bone straight; compression would make the matrix indefinite.
  const V tension = hn::Max(hn::Neg(dot(at_end, direction)), hn::Zero(kDoubles));
  const V pulled = hn::Mul(tension, length);
  response.c = response.c + (scaledIdentity(pulled) - outer(direction, direction) * pulled);
  response.push = at_head + at_end;
  response.torque = hanging.torque + cross(r, at_end);
  return response;
}

// Of the moment 2 tan(angle / 2): k (1 + g g) with the bend g (RodBatch::bend), and what damping
// adds.
struct JointStiffness {
  V across;
  V along;  // k
  V3 bend;  // g
};

// Eliminates the swing of a joint with one bone: what is left is the response of its head, and of
// the joint above, which its roll follows. Returns where the matrix is singular.
HWY_INLINE Mask eliminateSwing(RodBatch& batch, std::size_t j, std::size_t lane,
                               const JointStiffness& stiffness, Response& response) {
  const std::size_t i = RodBatch::at(j, lane);
  V3 axis_1, axis_2;
  normalsOf(load(batch.direction, RodBatch::at(batch.joints[j].bones_start, lane)), axis_1, axis_2);
  const V3 spin_1 = response.c * axis_1, spin_2 = response.c * axis_2;
  const V3 pull_1 = response.b * axis_1, pull_2 = response.b * axis_2;
  const V bend_1 = dot(axis_1, stiffness.bend), bend_2 = dot(axis_2, stiffness.bend);
  const V along_1 = hn::Mul(bend_1, stiffness.along), along_2 = hn::Mul(bend_2, stiffness.along);
  const V m11 = hn::Add(dot(axis_1, spin_1), hn::Add(hn::Mul(bend_1, along_1), stiffness.across));
  const V m12 = hn::Add(hn::Mul(bend_1, along_2), dot(axis_1, spin_2));
  const V m22 = hn::Add(dot(axis_2, spin_2), hn::Add(hn::Mul(bend_2, along_2), stiffness.across));
  const V determinant = hn::Sub(hn::Mul(m11, m22), hn::Mul(m12, m12));
  const V inverse = hn::Div(constant(1.0), determinant);
  const V give_11 = hn::Mul(m22, inverse), give_12 = hn::Neg(hn::Mul(m12, inverse)),
          give_22 = hn::Mul(m11, inverse);
  const V3 load_of = response.torque + load(batch.moment, i);
  const V load_1 = dot(axis_1, load_of), load_2 = dot(axis_2, load_of);
  store(axis_1, batch.axis_1, i);
  store(axis_2, batch.axis_2, i);
  store(spin_1, batch.spin_1, i);
  store(spin_2, batch.spin_2, i);
  store(pull_1, batch.pull_1, i);
  store(pull_2, batch.pull_2, i);
  store(give_11, batch.give_11, i);
  store(give_12, batch.give_12, i);
  store(give_22, batch.give_22, i);
  store(load_1, batch.load_1, i);
  store(load_2, batch.load_2, i);
  if (batch.joints[j].parent_joint >= 0) {
    const V3 p1 = pull_1 * give_11 + pull_2 * give_12, p2 = pull_1 * give_12 + pull_2 * give_22;
    const V3 t1 = spin_1 * give_11 + spin_2 * give_12, t2 = spin_1 * give_12 + spin_2 * give_22;
    response.a = response.a - (outer(p1, pull_1) + outer(p2, pull_2));
    response.b.a = response.b.a - (p1 * spin_1.x + p2 * spin_2.x);
    response.b.b = response.b.b - (p1 * spin_1.y + p2 * spin_2.y);
    response.b.c = response.b.c - (p1 * spin_1.z + p2 * spin_2.z);
    response.c = response.c - (outer(t1, spin_1) + outer(t2, spin_2));
    response.push = response.push - (p1 * load_1 + p2 * load_2);
    response.torque = response.torque - (t1 * load_1 + t2 * load_2);
  }
  return hn::Not(hn::Gt(determinant, hn::Mul(constant(kMinGiveShare), hn::Mul(m11, m22))));
}

// The inverse by cofactors; `determinant` is that of m.
HWY_INLINE S6 inverseOf(const S6& m, V& determinant) {
  const auto minor = [](V a, V b, V c, V d) { return hn::Sub(hn::Mul(a, b), hn::Mul(c, d)); };
  const S6 cofactors = {minor(m.yy, m.zz, m.yz, m.yz), minor(m.xx, m.zz, m.xz, m.xz),
                        minor(m.xx, m.yy, m.xy, m.xy), minor(m.xz, m.yz, m.xy, m.zz),
                        minor(m.xy, m.yz, m.xz, m.yy), minor(m.xy, m.xz, m.xx, m.yz)};
  determinant = dot(column0(m), column0(cofactors));
  return cofactors * hn::Div(constant(1.0), determinant);
}

// The same for a joint that rotates about all axes.
HWY_INLINE Mask eliminateFork(RodBatch& batch, std::size_t j, std::size_t lane,
                              const JointStiffness& stiffness, Response& response) {
  const std::size_t i = RodBatch::at(j, lane);
  const S6 hessian = response.c + scaledIdentity(stiffness.across) +
                     outer(stiffness.bend, stiffness.bend * stiffness.along);
  V determinant;
  const S6 give = inverseOf(hessian, determinant);
  const V scale = hn::Add(hn::Add(hessian.xx, hessian.yy), hessian.zz);
  const S6 spin = response.c;
  const M3 pull = response.b;
  const V3 load_of = response.torque + load(batch.moment, i);
  store(give, batch.give, i);
  store(pull, batch.pull, i);
  store(spin, batch.spin, i);
  store(load_of, batch.load, i);
  const M3 give_matrix = matrixOf(give), spin_matrix = matrixOf(spin);
  const M3 p = pull * give_matrix, t = spin_matrix * give_matrix;
  const M3 pull_transposed = {{pull.a.x, pull.b.x, pull.c.x},
                              {pull.a.y, pull.b.y, pull.c.y},
                              {pull.a.z, pull.b.z, pull.c.z}};
  response.a = response.a - upperOf(p * pull_transposed);
  response.b = response.b - p * spin_matrix;
  response.c = response.c - upperOf(t * spin_matrix);
  response.push = response.push - p * load_of;
  response.torque = response.torque - t * load_of;
  return hn::Not(
      hn::Gt(determinant, hn::Mul(constant(kMinGiveShare), hn::Mul(scale, hn::Mul(scale, scale)))));
}

HWY_INLINE V3 headDeficitOf(const RodBatch& batch, const RodBatch::Joint& joint, std::size_t lane) {
  return joint.parent_bone < 0
             ? load(batch.head_deficit_mps2, lane)
             : load(batch.deficit_mps2, RodBatch::at(toSize(joint.parent_bone), lane));
}

// From the tips to the root. Returns where a joint's matrix is singular.
HWY_INLINE Mask eliminate(RodBatch& batch, const RodTime& time, std::size_t lane) {
  for (std::size_t b = 0; b < batch.bone_count; ++b) {
    if (batch.joints_at_end[b] != 1) store(noResponse(), batch.hanging, RodBatch::at(b, lane));
  }
  Mask is_singular = hn::Lt(hn::Zero(kDoubles), hn::Zero(kDoubles));
  for (std::size_t j = batch.joints.size(); j-- > 0;) {
    const RodBatch::Joint& joint = batch.joints[j];
    const std::size_t i = RodBatch::at(j, lane);
    const V3 head_deficit = headDeficitOf(batch, joint, lane);
    Response response = noResponse();
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t k = RodBatch::at(b, lane);
      response = response + responseOf(batch, time, k, head_deficit, load(batch.hanging, k));
      if (batch.is_held) addHolds(batch, time, k, lane, response);
    }
    const V damped = hn::Mul(constant(1.5 / time.step_s), load(batch.damping_s, i));
    const V along = load(batch.stiffness, i);
    const JointStiffness stiffness = {hn::Mul(along, hn::Add(constant(1.0), damped)), along,
                                      load(batch.bend, i)};
    is_singular =
        hn::Or(is_singular, joint.isFork() ? eliminateFork(batch, j, lane, stiffness, response)
                                           : eliminateSwing(batch, j, lane, stiffness, response));
    if (joint.parent_bone < 0) continue;
    const std::size_t above = RodBatch::at(toSize(joint.parent_bone), lane);
    if (batch.joints_at_end[toSize(joint.parent_bone)] != 1) {
      response = response + load(batch.hanging, above);
    }
    store(response, batch.hanging, above);
  }
  return is_singular;
}

HWY_INLINE V3 rotationOf(const RodBatch& batch, const RodBatch::Joint& joint, std::size_t i,
                         const V3& above, const V3& displacement) {
  if (joint.isFork()) {
    const V3 load_of = load(batch.load, i) + (transposedTimes(load(batch.pull, i), displacement) +
                                              load(batch.spin, i) * above);
    return above - load(batch.give, i) * load_of;
  }
  const auto loadOn = [&](const Column& load_of, const Vec3Lanes& pull, const Vec3Lanes& spin) {
    return hn::Add(load(load_of, i),
                   hn::Add(dot(load(pull, i), displacement), dot(load(spin, i), above)));
  };
  const V load_1 = loadOn(batch.load_1, batch.pull_1, batch.spin_1);
  const V load_2 = loadOn(batch.load_2, batch.pull_2, batch.spin_2);
  const V give_11 = load(batch.give_11, i), give_12 = load(batch.give_12, i),
          give_22 = load(batch.give_22, i);
  const V swing_1 = hn::Add(hn::Mul(give_11, load_1), hn::Mul(give_12, load_2));
  const V swing_2 = hn::Add(hn::Mul(give_12, load_1), hn::Mul(give_22, load_2));
  return above - (load(batch.axis_1, i) * swing_1 + load(batch.axis_2, i) * swing_2);
}

// Rotations from the root to the tips; returns the largest ones of the trees. Joints beyond the tip
// of a shorter tree do not count: they rotate freely, and would keep the tree from converging.
HWY_INLINE V substitute(RodBatch& batch, std::size_t lane) {
  V max_square = hn::Zero(kDoubles);
  for (std::size_t j = 0; j < batch.joints.size(); ++j) {
    const RodBatch::Joint& joint = batch.joints[j];
    const std::size_t i = RodBatch::at(j, lane);
    V3 above = zeroVector(), displacement = zeroVector();
    if (joint.parent_bone >= 0) {
      above = load(batch.rotation, RodBatch::at(toSize(joint.parent_joint), lane));
      displacement = load(batch.displacement, RodBatch::at(toSize(joint.parent_bone), lane));
    }
    const V3 rotation = rotationOf(batch, joint, i, above, displacement);
    store(rotation, batch.rotation, i);
    const V square = hn::Mul(dot(rotation, rotation), load(batch.exists, i));
    max_square = hn::IfThenElse(hn::Lt(square, max_square), max_square, square);  // keeps a NaN
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const std::size_t k = RodBatch::at(b, lane);
      const V3 r = load(batch.direction, k) * load(batch.length_m, k);
      store(displacement + cross(rotation, r), batch.displacement, k);
    }
  }
  return hn::Sqrt(max_square);
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // guard
