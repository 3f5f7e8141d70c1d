// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

/// Transforms and rotations in Highway registers, for the _simd.cc files of this folder; guarded
/// like lane_vectors_simd.h.
#if defined(CLIPMILL_LANE_WORLDS_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CLIPMILL_LANE_WORLDS_SIMD_H
#undef CLIPMILL_LANE_WORLDS_SIMD_H
#else
#define CLIPMILL_LANE_WORLDS_SIMD_H
#endif

#include <algorithm>
#include <vector>

#include <hwy/highway.h>

#include "stages/dynamic_bones/springs/lane_vectors_simd.h"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE {

using Indices = hn::Rebind<std::int64_t, Doubles>;

struct World {
  M3 linear;
  V3 translation;
};

// The Affine of each lane is contiguous. Pairs of its numbers are loaded for all even and all odd
// lanes, and one interleaving gives two columns; that is much faster than one number at a time.
// Registers of unknown or single length cannot do this.
#undef CLIPMILL_HAS_PAIRS
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
#define CLIPMILL_HAS_PAIRS 0
#else
#define CLIPMILL_HAS_PAIRS 1
#endif

#if CLIPMILL_HAS_PAIRS
// The pairs of every other lane at `from`, starting with at[0].
template <class D>
HWY_INLINE hn::Vec<D> loadPairs(D d, const double* from, const std::int64_t* at) {
  if constexpr (hn::MaxLanes(D()) == 2) {
    return hn::LoadU(d, from + at[0]);
  } else {
    constexpr hn::Half<D> half;
    return hn::Combine(d, loadPairs(half, from, at + hn::MaxLanes(half)),
                       loadPairs(half, from, at));
  }
}

template <class D>
HWY_INLINE void storePairs(D d, hn::Vec<D> pairs, double* to, const std::int64_t* at) {
  if constexpr (hn::MaxLanes(D()) == 2) {
    hn::StoreU(pairs, d, to + at[0]);
  } else {
    constexpr hn::Half<D> half;
    storePairs(half, hn::LowerHalf(half, pairs), to, at);
    storePairs(half, hn::UpperHalf(half, pairs), to, at + hn::MaxLanes(half));
  }
}
#endif

HWY_INLINE World worldOf(const V (&p)[kAffineDoubles]) {
  return {{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}, {p[6], p[7], p[8]}}, {p[9], p[10], p[11]}};
}

HWY_INLINE World gatherWorld(const double* worlds, const std::vector<std::int64_t>& positions,
                             std::size_t i) {
  const std::int64_t* at = positions.data() + i;
  V parts[kAffineDoubles];
  // Neighbouring chains mostly have the same parent node.
  if (std::all_of(at, at + hn::Lanes(kDoubles), [at](std::int64_t k) { return k == *at; })) {
    for (std::size_t k = 0; k < kAffineDoubles; ++k) parts[k] = constant((worlds + *at)[k]);
    return worldOf(parts);
  }
#if CLIPMILL_HAS_PAIRS
  for (std::size_t k = 0; k < kAffineDoubles; k += 2) {
    const V even = loadPairs(kDoubles, worlds + k, at);
    const V odd = loadPairs(kDoubles, worlds + k, at + 1);
    parts[k] = hn::InterleaveLower(kDoubles, even, odd);
    parts[k + 1] = hn::InterleaveUpper(kDoubles, even, odd);
  }
#else
  const auto indices = hn::LoadU(Indices(), at);
  for (std::size_t k = 0; k < kAffineDoubles; ++k) {
    parts[k] = hn::GatherIndex(kDoubles, worlds + k, indices);
  }
#endif
  return worldOf(parts);
}

HWY_INLINE void scatterWorld(const M3& m, const V3& t, double* worlds,
                             const std::vector<std::int64_t>& positions, std::size_t i) {
  const std::int64_t* at = positions.data() + i;
  const V parts[kAffineDoubles] = {m.a.x, m.a.y, m.a.z, m.b.x, m.b.y, m.b.z,
                                   m.c.x, m.c.y, m.c.z, t.x,   t.y,   t.z};
#if CLIPMILL_HAS_PAIRS
  for (std::size_t k = 0; k < kAffineDoubles; k += 2) {
    storePairs(kDoubles, hn::InterleaveLower(kDoubles, parts[k], parts[k + 1]), worlds + k, at);
    storePairs(kDoubles, hn::InterleaveUpper(kDoubles, parts[k], parts[k + 1]), worlds + k, at + 1);
  }
#else
  const auto indices = hn::LoadU(Indices(), at);
  for (std::size_t k = 0; k < kAffineDoubles; ++k) {
    hn::ScatterIndex(parts[k], kDoubles, worlds + k, indices);
  }
#endif
}

struct Q4 {
  V w, x, y, z;
};

HWY_INLINE Q4 load(const QuatLanes& lanes, std::size_t i) {
  return {load(lanes.w, i), load(lanes.x, i), load(lanes.y, i), load(lanes.z, i)};
}

// The rotation matrix of a unit quaternion.
HWY_INLINE M3 matrixOf(const Q4& q) {
  const V one = constant(1.0), two = constant(2.0);
  const V w = q.w, x = q.x, y = q.y, z = q.z;
  const V xx = hn::Mul(x, x), yy = hn::Mul(y, y), zz = hn::Mul(z, z);
  const V xy = hn::Mul(x, y), xz = hn::Mul(x, z), yz = hn::Mul(y, z);
  const V wx = hn::Mul(w, x), wy = hn::Mul(w, y), wz = hn::Mul(w, z);
  return {{hn::Sub(one, hn::Mul(two, hn::Add(yy, zz))), hn::Mul(two, hn::Add(xy, wz)),
           hn::Mul(two, hn::Sub(xz, wy))},
          {hn::Mul(two, hn::Sub(xy, wz)), hn::Sub(one, hn::Mul(two, hn::Add(xx, zz))),
           hn::Mul(two, hn::Add(yz, wx))},
          {hn::Mul(two, hn::Add(xz, wy)), hn::Mul(two, hn::Sub(yz, wx)),
           hn::Sub(one, hn::Mul(two, hn::Add(xx, yy)))}};
}

}  // namespace clipmill::stages::dynamic_bones::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // guard
