// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/xpbd_simd.h"

#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/tet_bake/solve/xpbd_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, as Highway asks.
#include <hwy/highway.h>

#include "stages/tet_bake/solve/vec_lanes_simd.inc"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::tet_bake {
namespace HWY_NAMESPACE {

// Lengths and sums of squared gradients below this have no direction.
constexpr float kSmallest = 1e-20f;

// `above` / `below` where that is a number, else 0.
HWY_INLINE V ratio(const Part& part, V above, V below) {
  return hn::IfThenElseZero(below > part.set(kSmallest), above / below);
}

template <bool kCompliant>
HWY_INLINE void projectEdge(const Part& part, const XpbdEdge& edge, PositionLanes& positions,
                            V compliance, FloatLanes* multiplier) {
  const Vec a = load(part, &positions[edge.rows[0]]), b = load(part, &positions[edge.rows[1]]);
  const Vec path = b - a;
  const V length = hn::Sqrt(dot(path, path));
  V error = length - part.set(edge.length);
  if constexpr (kCompliant) error = error + compliance * part.load(*multiplier);
  // The multiplier grows by minus this.
  const V step = error * part.set(edge.inverse_sum);
  if constexpr (kCompliant) part.store(part.load(*multiplier) - step, *multiplier);
  const Vec pull = path * ratio(part, step, length);
  store(part, a + pull * part.set(edge.weights[0]), &positions[edge.rows[0]]);
  store(part, b - pull * part.set(edge.weights[1]), &positions[edge.rows[1]]);
}

template <bool kCompliant>
HWY_INLINE void projectTet(const Part& part, const XpbdTet& tet, PositionLanes& positions,
                           V compliance, FloatLanes* multiplier) {
  const Vec a = load(part, &positions[tet.rows[0]]), b = load(part, &positions[tet.rows[1]]);
  const Vec c = load(part, &positions[tet.rows[2]]), d = load(part, &positions[tet.rows[3]]);
  const Vec ab = b - a, ac = c - a, ad = d - a;
  const Vec of_b = cross(ac, ad), of_c = cross(ad, ab), of_d = cross(ab, ac);
  const Vec of_a = Vec{hn::Zero(part.d), hn::Zero(part.d), hn::Zero(part.d)} - (of_b + of_c + of_d);
  const V wa = part.set(tet.weights[0]), wb = part.set(tet.weights[1]);
  const V wc = part.set(tet.weights[2]), wd = part.set(tet.weights[3]);
  V error = dot(of_d, ad) - part.set(tet.six_volumes);
  V sum =
      (dot(of_a, of_a) * wa + dot(of_b, of_b) * wb) + (dot(of_c, of_c) * wc + dot(of_d, of_d) * wd);
  if constexpr (kCompliant) {
    error = error + compliance * part.load(*multiplier);
    sum = sum + compliance;
  }
  const V step = ratio(part, error, sum);
  if constexpr (kCompliant) part.store(part.load(*multiplier) - step, *multiplier);
  store(part, a - of_a * (wa * step), &positions[tet.rows[0]]);
  store(part, b - of_b * (wb * step), &positions[tet.rows[1]]);
  store(part, c - of_c * (wc * step), &positions[tet.rows[2]]);
  store(part, d - of_d * (wd * step), &positions[tet.rows[3]]);
}

HWY_INLINE void projectHold(const Part& part, const XpbdHold& hold, XpbdBlock& block,
                            FloatLanes* multipliers) {
  const Vec position = load(part, &block.positions[hold.row]);
  const Vec multiplier = load(part, multipliers);
  const Vec error = (position - load(part, &block.targets[hold.target_row])) +
                    multiplier * part.set(hold.compliance);
  store(part, multiplier - error * part.set(hold.inverse_sum), multipliers);
  store(part, position - error * part.set(hold.share), &block.positions[hold.row]);
}

template <bool kCompliant>
void projectEdges(const XpbdSystem& system, XpbdBlock& block) {
  const D d;
  const V compliance = hn::Set(d, system.edge_compliance);
  FloatLanes* multiplier = block.edge_multipliers.data();
  for (const XpbdEdge& edge : system.edges) {
    for (std::size_t at = 0; at < kFrameLanes; at += hn::Lanes(d)) {
      projectEdge<kCompliant>({d, at}, edge, block.positions, compliance, multiplier);
    }
    if constexpr (kCompliant) ++multiplier;
  }
}

template <bool kCompliant>
void projectTets(const XpbdSystem& system, XpbdBlock& block) {
  const D d;
  const V compliance = hn::Set(d, system.volume_compliance);
  FloatLanes* multiplier = block.tet_multipliers.data();
  for (const XpbdTet& tet : system.tets) {
    for (std::size_t at = 0; at < kFrameLanes; at += hn::Lanes(d)) {
      projectTet<kCompliant>({d, at}, tet, block.positions, compliance, multiplier);
    }
    if constexpr (kCompliant) ++multiplier;
  }
}

void projectAll(const XpbdSystem& system, XpbdBlock& block) {
  const D d;
  if (system.edge_compliance > 0.0f) {
    projectEdges<true>(system, block);
  } else {
    projectEdges<false>(system, block);
  }
  if (system.volume_compliance > 0.0f) {
    projectTets<true>(system, block);
  } else {
    projectTets<false>(system, block);
  }
  FloatLanes* multipliers = block.hold_multipliers.data();
  for (const XpbdHold& hold : system.holds) {
    for (std::size_t at = 0; at < kFrameLanes; at += hn::Lanes(d)) {
      projectHold({d, at}, hold, block, multipliers);
    }
    multipliers += 3;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clipmill::stages::tet_bake
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::tet_bake {
namespace {

HWY_EXPORT(projectAll);

// Of a constraint of the volume times six.
constexpr double kSixSquared = 36.0;

void addEdges(const TetSystem& system, double compliance, XpbdSystem& result) {
  for (const TetEdge& edge : system.edges) {
    const auto [a, b] = edge.corners;
    const double wa = system.inverse_mass[a], wb = system.inverse_mass[b];
    if (!(wa + wb > 0.0)) continue;
    result.edges.push_back({{3 * a, 3 * b},
                            {static_cast<float>(wa), static_cast<float>(wb)},
                            static_cast<float>(edge.length),
                            static_cast<float>(1.0 / (wa + wb + compliance))});
  }
}

void addTets(const TetSystem& system, XpbdSystem& result) {
  for (const SolidTet& tet : system.tets) {
    XpbdTet row;
    double sum = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      row.rows[i] = 3 * tet.corners[i];
      row.weights[i] = static_cast<float>(system.inverse_mass[tet.corners[i]]);
      sum += system.inverse_mass[tet.corners[i]];
    }
    row.six_volumes = static_cast<float>(6.0 * tet.volume);
    if (sum > 0.0) result.tets.push_back(row);
  }
}

void addHolds(const TetSystem& system, XpbdSystem& result) {
  std::uint32_t target_row = 0;
  for (std::uint32_t v : system.movable) {
    if (!(system.hold[v] > 0.0)) continue;
    // A corner without tetrahedra has no mass: it goes where it is held.
    const double weight = system.inverse_mass[v] > 0.0 ? system.inverse_mass[v] : 1.0;
    const double compliance = system.inverse_mass[v] > 0.0 ? 1.0 / system.hold[v] : 0.0;
    const double inverse_sum = 1.0 / (weight + compliance);
    result.holds.push_back({3 * v, target_row, static_cast<float>(compliance),
                            static_cast<float>(weight * inverse_sum),
                            static_cast<float>(inverse_sum)});
    target_row += 3;
  }
}

}  // namespace

XpbdSystem makeXpbdSystem(const TetSystem& system, const XpbdSettings& settings) {
  XpbdSystem result;
  if (settings.edge_compliance >= 0.0) {
    result.edge_compliance = static_cast<float>(settings.edge_compliance);
    addEdges(system, settings.edge_compliance, result);
  }
  if (settings.volume_compliance >= 0.0) {
    result.volume_compliance = static_cast<float>(kSixSquared * settings.volume_compliance);
    addTets(system, result);
  }
  addHolds(system, result);
  return result;
}

std::size_t bytesOf(const XpbdSystem& system) {
  return system.edges.capacity() * sizeof(XpbdEdge) + system.tets.capacity() * sizeof(XpbdTet) +
         system.holds.capacity() * sizeof(XpbdHold);
}

XpbdBlock makeXpbdBlock(const XpbdSystem& system, PositionLanes positions, PositionLanes targets) {
  XpbdBlock block{std::move(positions), std::move(targets), {}, {}, {}};
  if (system.edge_compliance > 0.0f) block.edge_multipliers.resize(system.edges.size());
  if (system.volume_compliance > 0.0f) block.tet_multipliers.resize(system.tets.size());
  block.hold_multipliers.resize(3 * system.holds.size());
  return block;
}

void projectConstraints(const XpbdSystem& system, XpbdBlock& block) {
  HWY_DYNAMIC_DISPATCH(projectAll)(system, block);
}

}  // namespace clipmill::stages::tet_bake
#endif
