// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/block_descent_simd.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/tet_bake/solve/block_descent_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, as Highway asks.
#include <hwy/highway.h>

#include "stages/tet_bake/solve/vec_lanes_simd.inc"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::tet_bake {
namespace HWY_NAMESPACE {

// The quadratic energy of a corner while the others are fixed: minus its gradient, and its
// Hessian.
template <class T>
struct Quadratic {
  VecOf<T> force;
  T xx, xy, xz, yy, yz, zz;
};

struct Lists {
  const SweepNeighbour* neighbour;
  const SweepNeighbour* neighbour_end;
  const SweepFace* face;
  const SweepFace* face_end;
};

template <class Tag, class Row>
HWY_INLINE Quadratic<hn::Vec<Tag>> springsOf(const PartOf<Tag>& part,
                                             const DescentBlockOf<Row>& block,
                                             const SweepCorner& corner, const Lists& lists,
                                             const VecOf<hn::Vec<Tag>>& position) {
  const auto zero = hn::Zero(part.d);
  VecOf<hn::Vec<Tag>> force{zero, zero, zero};
  for (const SweepNeighbour* n = lists.neighbour; n != lists.neighbour_end; ++n) {
    force = force + (load(part, &block.positions[n->row]) - position) * part.set(n->spring);
  }
  auto diagonal = part.set(corner.spring_sum);
  if (corner.hold > 0.0f) {
    const auto hold = part.set(corner.hold);
    force = force + (load(part, &block.targets[corner.hold_row]) - position) * hold;
    diagonal = diagonal + hold;
  }
  return {force, diagonal, zero, zero, diagonal, zero, diagonal};
}

template <class Tag, class Row>
HWY_INLINE void addVolumes(const PartOf<Tag>& part, const DescentBlockOf<Row>& block,
                           const Lists& lists, const VecOf<hn::Vec<Tag>>& position,
                           Quadratic<hn::Vec<Tag>>& sum) {
  for (const SweepFace* face = lists.face; face != lists.face_end; ++face) {
    const auto base = load(part, &block.positions[face->rows[0]]);
    const auto normal = cross(load(part, &block.positions[face->rows[1]]) - base,
                              load(part, &block.positions[face->rows[2]]) - base) *
                        part.set(face->scale);
    const auto excess = dot(normal, position - base) - part.set(face->rest);
    sum.force = sum.force - normal * excess;
    sum.xx = sum.xx + normal.x * normal.x;
    sum.xy = sum.xy + normal.x * normal.y;
    sum.xz = sum.xz + normal.x * normal.z;
    sum.yy = sum.yy + normal.y * normal.y;
    sum.yz = sum.yz + normal.y * normal.z;
    sum.zz = sum.zz + normal.z * normal.z;
  }
}

// Hessian^-1 * force by L D L^T. `least` is an eigenvalue below all others, so no pivot is below
// it either but by rounding.
template <class Tag>
HWY_INLINE VecOf<hn::Vec<Tag>> minimiser(const PartOf<Tag>& part, const Quadratic<hn::Vec<Tag>>& q,
                                         hn::Vec<Tag> least) {
  const auto one = part.set(1.0f);
  const auto inverse_x = one / q.xx;
  const auto xy = q.xy * inverse_x, xz = q.xz * inverse_x;
  const auto pivot_y = hn::Max(q.yy - xy * q.xy, least);
  const auto rest_yz = q.yz - xz * q.xy;
  const auto inverse_y = one / pivot_y;
  const auto yz = rest_yz * inverse_y;
  const auto pivot_z = hn::Max((q.zz - xz * q.xz) - yz * rest_yz, least);
  const auto y = q.force.y - xy * q.force.x;
  const auto z = ((q.force.z - xz * q.force.x) - yz * y) / pivot_z;
  const auto step_y = y * inverse_y - yz * z;
  return {(q.force.x * inverse_x - xy * step_y) - xz * z, step_y, z};
}

template <class Tag, class Row>
HWY_INLINE void moveCorner(const PartOf<Tag>& part, const SweepCorner& corner, const Lists& lists,
                           float over_relaxation, DescentBlockOf<Row>& block,
                           SweepLanesOf<Row>& result) {
  const auto position = load(part, &block.positions[corner.row]);
  auto q = springsOf(part, block, corner, lists, position);
  const auto least = q.xx;
  addVolumes(part, block, lists, position, q);
  const auto whole = minimiser(part, q, least);
  const auto moves = part.load(block.active) > hn::Zero(part.d);
  const auto step = whole * part.set(over_relaxation);
  const VecOf<hn::Vec<Tag>> kept{hn::IfThenElseZero(moves, step.x),
                                 hn::IfThenElseZero(moves, step.y),
                                 hn::IfThenElseZero(moves, step.z)};
  store(part, position + kept, &block.positions[corner.row]);
  part.store(hn::Max(part.load(result.square_step), dot(kept, kept)), result.square_step);
  const auto loss = dot(q.force, kept) * part.set(1.0f - 0.5f * over_relaxation);
  part.store(part.load(result.energy_loss) + loss, result.energy_loss);
}

template <class Row>
HWY_INLINE void sweepRows(const DescentSystem& system, float over_relaxation,
                          DescentBlockOf<Row>& block, SweepLanesOf<Row>& result) {
  constexpr std::size_t kWidth = sizeof(Row) / sizeof(float);
  const hn::CappedTag<float, kWidth> d;
  Lists lists{system.neighbours.data(), system.neighbours.data(), system.faces.data(),
              system.faces.data()};
  for (const SweepCorner& corner : system.corners) {
    lists.neighbour_end = system.neighbours.data() + corner.neighbour_end;
    lists.face_end = system.faces.data() + corner.face_end;
    for (std::size_t at = 0; at < kWidth; at += hn::Lanes(d)) {
      moveCorner(PartOf<hn::CappedTag<float, kWidth>>{d, at}, corner, lists, over_relaxation, block,
                 result);
    }
    lists.neighbour = lists.neighbour_end;
    lists.face = lists.face_end;
  }
}

void sweep(const DescentSystem& system, float over_relaxation, DescentBlock& block,
           SweepLanes& result) {
  sweepRows(system, over_relaxation, block, result);
}

void sweepEight(const DescentSystem& system, float over_relaxation,
                DescentBlockOf<LaneRow<8>>& block, SweepLanesOf<LaneRow<8>>& result) {
  sweepRows(system, over_relaxation, block, result);
}

void sweepFour(const DescentSystem& system, float over_relaxation,
               DescentBlockOf<LaneRow<4>>& block, SweepLanesOf<LaneRow<4>>& result) {
  sweepRows(system, over_relaxation, block, result);
}

}  // namespace HWY_NAMESPACE
}  // namespace clipmill::stages::tet_bake
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::tet_bake {
namespace {

HWY_EXPORT(sweep);
HWY_EXPORT(sweepEight);
HWY_EXPORT(sweepFour);

}  // namespace

void sweepCorners(const DescentSystem& system, float over_relaxation, DescentBlock& block,
                  SweepLanes& result) {
  result = {};
  HWY_DYNAMIC_DISPATCH(sweep)(system, over_relaxation, block, result);
}

void sweepCorners(const DescentSystem& system, float over_relaxation,
                  DescentBlockOf<LaneRow<8>>& block, SweepLanesOf<LaneRow<8>>& result) {
  result = {};
  HWY_DYNAMIC_DISPATCH(sweepEight)(system, over_relaxation, block, result);
}

void sweepCorners(const DescentSystem& system, float over_relaxation,
                  DescentBlockOf<LaneRow<4>>& block, SweepLanesOf<LaneRow<4>>& result) {
  result = {};
  HWY_DYNAMIC_DISPATCH(sweepFour)(system, over_relaxation, block, result);
}

}  // namespace clipmill::stages::tet_bake
#endif
