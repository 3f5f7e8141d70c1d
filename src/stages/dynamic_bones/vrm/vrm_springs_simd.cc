// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/vrm/vrm_springs_simd.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/dynamic_bones/vrm/vrm_springs_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, as Highway asks.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kSpringLanes>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;

// Directions within this angle of opposite rotate about BoneLanes::half_rotation.
constexpr double kOpposite = 1e-8;

// Some of the lanes: as many as a vector holds, from `at` on.
struct Part {
  D d;
  std::size_t at;
  V load(const Lanes& lanes) const { return hn::Load(d, lanes.at + at); }
  void store(V v, Lanes& lanes) const { hn::Store(v, d, lanes.at + at); }
  V set(double x) const { return hn::Set(d, x); }
};

struct Vec {
  V x, y, z;
};

HWY_INLINE Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
HWY_INLINE Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HWY_INLINE Vec operator*(const Vec& a, V s) { return {a.x * s, a.y * s, a.z * s}; }
HWY_INLINE Vec operator*(const Vec& a, const Vec& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
HWY_INLINE V dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HWY_INLINE Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HWY_INLINE Vec choose(Mask mask, const Vec& yes, const Vec& no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y),
          hn::IfThenElse(mask, yes.z, no.z)};
}

HWY_INLINE Vec load(const Part& part, const Lanes* lanes) {
  return {part.load(lanes[0]), part.load(lanes[1]), part.load(lanes[2])};
}
HWY_INLINE void store(const Part& part, const Vec& v, Lanes* lanes) {
  part.store(v.x, lanes[0]);
  part.store(v.y, lanes[1]);
  part.store(v.z, lanes[2]);
}
HWY_INLINE Vec broadcast(const Part& part, const double* v) {
  return {part.set(v[0]), part.set(v[1]), part.set(v[2])};
}

struct Map {
  Vec x, y, z, translation;  // Columns of the linear part.
  Vec rotation(const Vec& v) const { return x * v.x + y * v.y + z * v.z; }
  Vec move(const Vec& v) const { return rotation(v) + translation; }
};

HWY_INLINE Map loadMap(const Part& part, const LaneAffine& map) {
  return {load(part, map.linear), load(part, map.linear + 3), load(part, map.linear + 6),
          load(part, map.translation)};
}
HWY_INLINE void storeMap(const Part& part, const Map& map, LaneAffine& lanes) {
  store(part, map.x, lanes.linear);
  store(part, map.y, lanes.linear + 3);
  store(part, map.z, lanes.linear + 6);
  store(part, map.translation, lanes.translation);
}
HWY_INLINE Map operator*(const Map& a, const Map& b) {
  return {a.rotation(b.x), a.rotation(b.y), a.rotation(b.z), a.move(b.translation)};
}

// Squares of lengths that have a direction: above 0 and finite.
HWY_INLINE Mask hasDirection(const Part& part, V square) {
  return hn::And(square > hn::Zero(part.d), square <= part.set(std::numeric_limits<double>::max()));
}

// v of the given length; `fallback` times it where v has no direction.
HWY_INLINE Vec withLength(const Part& part, const Vec& v, V length, const Vec& fallback) {
  const V square = dot(v, v);
  const Mask good = hasDirection(part, square);
  return choose(good, v * (length / hn::Sqrt(square)), fallback * length);
}

// A bone while it moves.
struct Moving {
  Vec head, tail, rest;  // `rest`: unit, where the parent carries the bone at rest.
  V length, radius;
};

HWY_INLINE unsigned bitsOf(const Part& part, Mask mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(part.d, mask, bytes);
  return bytes[0];
}

HWY_INLINE void keepLimits(const Part& part, BoneLanes& bone, Moving& moving, Mask mask) {
  Lanes head[3], tail[3];
  store(part, moving.head, head);
  store(part, moving.tail, tail);
  bone.limits->apply(head, tail, part.at, bitsOf(part, mask));
  moving.tail = load(part, tail);
}

// What a collider makes of a tail: whether it reaches in, and where it is pushed to.
struct Push {
  Mask hit;
  Vec target;
};

HWY_INLINE Push pushOff(const Part& part, const StepCollider& collider, const Moving& moving,
                        Mask lanes) {
  using Kind = StepCollider::Kind;
  const V zero = hn::Zero(part.d), radius = part.set(collider.radius_m);
  Vec from = moving.tail - broadcast(part, collider.head_m);
  if (collider.kind == Kind::kPlane) {
    const Vec normal = broadcast(part, collider.axis_m);
    const V distance = dot(from, normal) - moving.radius;
    return {hn::And(lanes, distance < zero), moving.tail - normal * distance};
  }
  if (collider.kind == Kind::kCapsule || collider.kind == Kind::kInsideCapsule) {
    const Vec axis = broadcast(part, collider.axis_m);
    const V along = dot(from, axis) * part.set(collider.inverse_square_m2);
    from = from - axis * hn::Min(hn::Max(along, zero), part.set(1.0));
  }
  const V square = dot(from, from);
  const bool inside = collider.kind == Kind::kInsideSphere || collider.kind == Kind::kInsideCapsule;
  const V reach = inside ? radius - moving.radius : radius + moving.radius;
  if (!inside) {
    // Mostly nothing is near.
    lanes = hn::And(lanes, square < reach * reach);
    if (hn::AllFalse(part.d, lanes)) return {lanes, moving.tail};
  }
  const V distance = hn::Sqrt(square);
  const Mask hit = hn::And(lanes, inside ? distance > reach : distance < reach);
  const V share = hn::IfThenElse(distance > zero, (distance - reach) / distance, zero);
  return {hit, moving.tail - from * share};
}

HWY_INLINE void avoidColliders(const Part& part, const SpringBlock& block, BoneLanes& bone,
                               std::span<const StepCollider> colliders, Moving& moving) {
  for (const BlockCollider& entry : block.colliders) {
    const Mask lanes = part.load(entry.avoids) > hn::Zero(part.d);
    const Push push = pushOff(part, colliders[entry.index], moving, lanes);
    if (hn::AllFalse(part.d, push.hit)) continue;
    const Vec bone_to = withLength(part, push.target - moving.head, moving.length, moving.rest);
    moving.tail = choose(push.hit, moving.head + bone_to, moving.tail);
    if (bone.limits) keepLimits(part, bone, moving, push.hit);
  }
}

// The joint's local rotation that points its bone at `tail`: rest * (shortest arc from the axis).
struct Rotation {
  V w;
  Vec v;
};

HWY_INLINE Rotation jointRotationOf(const Part& part, const BoneLanes& bone, const Map& parent,
                                    const Vec& path) {
  // The inverse of parent * rest, up to a positive factor: transposed cofactors, with the sign of
  // the determinant.
  const Vec yz = cross(parent.y, parent.z), zx = cross(parent.z, parent.x),
            xy = cross(parent.x, parent.y);
  const V determinant = dot(parent.x, yz);
  const Vec in_parent = Vec{dot(yz, path), dot(zx, path), dot(xy, path)} * determinant;
  const Vec rotated = {dot(load(part, bone.rest_frame), in_parent),
                       dot(load(part, bone.rest_frame + 3), in_parent),
                       dot(load(part, bone.rest_frame + 6), in_parent)};
  const Vec axis = load(part, bone.axis);
  const Vec to = withLength(part, rotated * load(part, bone.inverse_scale), part.set(1.0), axis);
  // |axis + to|^2 / 2 is 1 + cosine, and keeps its digits where the two are nearly opposite.
  const Vec sum = axis + to;
  const V square = dot(sum, sum);
  const Vec normal = cross(axis, to);
  const V real = square * part.set(0.5);
  const V scale = part.set(1.0) / hn::Sqrt(real * real + dot(normal, normal));
  const Mask opposite =
      hn::And(square<part.set(kOpposite * kOpposite), dot(axis, axis)> hn::Zero(part.d));
  // A joint without a bone has no axis: it keeps its rest.
  const Mask none = hn::Not(dot(axis, axis) > hn::Zero(part.d));
  Rotation rotation{hn::IfThenElse(opposite, hn::Zero(part.d), real * scale),
                    choose(opposite, load(part, bone.half_rotation), normal * scale)};
  rotation.w = hn::IfThenElse(none, part.set(1.0), rotation.w);
  rotation.v = choose(none, Vec{hn::Zero(part.d), hn::Zero(part.d), hn::Zero(part.d)}, rotation.v);
  return rotation;
}

HWY_INLINE Rotation restTimes(const Part& part, const BoneLanes& bone, const Rotation& rotation) {
  const V w = part.load(bone.rest_rotation[0]);
  const Vec v = load(part, bone.rest_rotation + 1);
  return {w * rotation.w - dot(v, rotation.v),
          rotation.v * w + v * rotation.w + cross(v, rotation.v)};
}

// The joint's map: parent * rotation * scale, at `head`.
HWY_INLINE Map mapOf(const Part& part, const Map& parent, const Rotation& q, const Vec& scale,
                     const Vec& head) {
  const V one = part.set(1.0), two = part.set(2.0);
  const Vec d = q.v * two;
  const V xx = q.v.x * d.x, yy = q.v.y * d.y, zz = q.v.z * d.z;
  const V xy = q.v.x * d.y, xz = q.v.x * d.z, yz = q.v.y * d.z;
  const V wx = q.w * d.x, wy = q.w * d.y, wz = q.w * d.z;
  return {parent.rotation(Vec{one - (yy + zz), xy + wz, xz - wy}) * scale.x,
          parent.rotation(Vec{xy - wz, one - (xx + zz), yz + wx}) * scale.y,
          parent.rotation(Vec{xz + wy, yz - wx, one - (xx + yy)}) * scale.z, head};
}

// Inertia, stiffness and gravity, then the length.
HWY_INLINE Vec freeTail(const Part& part, const SpringBlock& block, const BoneLanes& bone,
                        const Moving& moving, std::size_t& resets) {
  Vec tail = load(part, bone.tail_m), before = load(part, bone.before_m);
  if (block.world_from_center) {
    const Map map = loadMap(part, *block.world_from_center);
    tail = map.move(tail);
    before = map.move(before);
  }
  const Vec inertia = (tail - before) * part.load(bone.kept);
  const Vec next =
      tail + inertia + moving.rest * part.load(bone.stiffness_m) + load(part, bone.gravity_m);
  const Vec path = next - moving.head;
  const V square = dot(path, path);
  const Mask finite = square <= part.set(std::numeric_limits<double>::max());
  if (!hn::AllTrue(part.d, finite)) {
    const Mask real = part.load(bone.real) > hn::Zero(part.d);
    resets += hn::CountTrue(part.d, hn::AndNot(finite, real));
  }
  return moving.head + withLength(part, path, moving.length, moving.rest);
}

HWY_INLINE void keepState(const Part& part, const SpringBlock& block, BoneLanes& bone,
                          const Vec& tail) {
  store(part, load(part, bone.tail_m), bone.before_m);
  store(part, block.center_from_world ? loadMap(part, *block.center_from_world).move(tail) : tail,
        bone.tail_m);
}

HWY_INLINE void stepBone(const Part& part, SpringBlock& block, BoneLanes& bone, bool is_last,
                         std::span<const StepCollider> colliders, std::size_t& resets) {
  Map parent = loadMap(part, block.world);
  if (bone.link) parent = parent * loadMap(part, *bone.link);
  const Vec zero = {hn::Zero(part.d), hn::Zero(part.d), hn::Zero(part.d)};

  Moving moving{parent.move(load(part, bone.translation)), zero, zero, part.load(bone.length_m),
                part.load(bone.radius_m)};
  moving.rest = withLength(part, parent.rotation(load(part, bone.rest_bone)), part.set(1.0), zero);
  moving.tail = freeTail(part, block, bone, moving, resets);
  if (bone.limits) {
    LaneAffine positioned;
    storeMap(part, parent, positioned);
    bone.limits->pose(positioned.linear, part.at, hn::Lanes(part.d));
    keepLimits(part, bone, moving, part.load(bone.real) > hn::Zero(part.d));
  }
  avoidColliders(part, block, bone, colliders, moving);
  keepState(part, block, bone, moving.tail);

  const Rotation rotation =
      restTimes(part, bone, jointRotationOf(part, bone, parent, moving.tail - moving.head));
  part.store(rotation.w, bone.rotation[0]);
  store(part, rotation.v, bone.rotation + 1);
  if (is_last) return;
  storeMap(part, mapOf(part, parent, rotation, load(part, bone.scale), moving.head), block.world);
}

// Depth by depth through all blocks: neighbors in time do not wait for each other.
std::size_t stepAll(std::span<SpringBlock> blocks, std::span<const StepCollider> colliders) {
  const D d;
  std::size_t max_depth = 0, resets = 0;
  for (const SpringBlock& block : blocks) max_depth = HWY_MAX(max_depth, block.bones.size());
  for (std::size_t depth = 0; depth < max_depth; ++depth) {
    for (SpringBlock& block : blocks) {
      if (depth >= block.bones.size()) continue;
      const bool is_last = depth + 1 == block.bones.size();
      for (std::size_t at = 0; at < kSpringLanes; at += hn::Lanes(d)) {
        stepBone({d, at}, block, block.bones[depth], is_last, colliders, resets);
      }
    }
  }
  return resets;
}

}  // namespace HWY_NAMESPACE
}  // namespace clipmill::stages::dynamic_bones
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::dynamic_bones {
namespace {

HWY_EXPORT(stepAll);

}  // namespace

std::size_t stepSpringBlocks(std::span<SpringBlock> blocks,
                             std::span<const StepCollider> colliders) {
  return HWY_DYNAMIC_DISPATCH(stepAll)(blocks, colliders);
}

}  // namespace clipmill::stages::dynamic_bones
#endif
