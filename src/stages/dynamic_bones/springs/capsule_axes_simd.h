// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

/// Distances of bones from the axes of capsules in Highway registers; guarded like
/// lane_vectors_simd.h.
#if defined(CLIPMILL_CAPSULE_AXES_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CLIPMILL_CAPSULE_AXES_SIMD_H
#undef CLIPMILL_CAPSULE_AXES_SIMD_H
#else
#define CLIPMILL_CAPSULE_AXES_SIMD_H
#endif

#include <hwy/highway.h>

#include "stages/dynamic_bones/springs/lane_vectors_simd.h"
#include "stages/dynamic_bones/springs/near_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

// Margin for rounding, as a share of the bone: the error of the nearest points of two nearly
// parallel axes.
constexpr double kSlackShare = 1e-6;

// Between a bone's axis and that of a capsule.
struct Pair {
  V3 from_head;  // of the capsule, to the bone's head
  V3 axis;       // of the capsule
  V inverse_square;
};

HWY_INLINE Pair pairOf(const V3& point, const Capsules& capsules, std::size_t k) {
  return {
      point - V3{constant(capsules.x[k]), constant(capsules.y[k]), constant(capsules.z[k])},
      V3{constant(capsules.axis_x[k]), constant(capsules.axis_y[k]), constant(capsules.axis_z[k])},
      constant(capsules.inverse_square[k])};
}

HWY_INLINE V shareOf(V along) { return hn::Min(hn::Max(along, hn::Zero(kDoubles)), constant(1.0)); }

// Squared distance of a point from the axis of a capsule.
HWY_INLINE V squareFromAxis(const V3& point, const Capsules& capsules, std::size_t k) {
  const Pair pair = pairOf(point, capsules, k);
  const V share = shareOf(hn::Mul(dot(pair.from_head, pair.axis), pair.inverse_square));
  const V3 apart = pair.from_head - pair.axis * share;
  return dot(apart, apart);
}

// A bone at one time.
struct BoneAxis {
  V3 head, path;  // from its head to its end
  V square;       // |path|^2
  V inverse_square;
  V length;
  V radius;
};

HWY_INLINE BoneAxis boneAxis(const V3& head, const V3& end, V radius) {
  const V3 path = end - head;
  const V square = dot(path, path);
  const Mask is_long = hn::Gt(square, hn::Zero(kDoubles));
  return {head,
          path,
          square,
          hn::IfThenElseZero(is_long, hn::Div(constant(1.0), square)),
          hn::Sqrt(square),
          radius};
}

// Squared distance between the segments of a bone and of a capsule (Ericson, Real-Time Collision
// Detection, 5.1.9).
HWY_INLINE V squareBetweenAxes(const BoneAxis& bone, const Capsules& capsules, std::size_t k) {
  const Pair pair = pairOf(bone.head, capsules, k);
  const V between = dot(bone.path, pair.axis);
  const V bone_part = dot(bone.path, pair.from_head);
  const V axis_part = dot(pair.axis, pair.from_head);
  const V axis_square = dot(pair.axis, pair.axis);
  const V sine = hn::Sub(hn::Mul(bone.square, axis_square), hn::Mul(between, between));
  const V wanted =
      hn::Div(hn::Sub(hn::Mul(between, axis_part), hn::Mul(bone_part, axis_square)), sine);
  const V first = hn::IfThenElseZero(hn::Gt(sine, hn::Zero(kDoubles)), shareOf(wanted));
  const V t = shareOf(hn::Mul(hn::Add(hn::Mul(between, first), axis_part), pair.inverse_square));
  const V s = shareOf(hn::Mul(hn::Sub(hn::Mul(between, t), bone_part), bone.inverse_square));
  const V3 apart = (pair.from_head + bone.path * s) - pair.axis * t;
  return dot(apart, apart);
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // guard
