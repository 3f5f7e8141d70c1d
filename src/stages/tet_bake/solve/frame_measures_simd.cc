// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/frame_measures_simd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/tet_bake/solve/frame_measures_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, as Highway asks.
#include <hwy/highway.h>

#include "stages/tet_bake/solve/vec_lanes_simd.inc"

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::tet_bake {
namespace HWY_NAMESPACE {

// 1/2 sum of spring |x_a - x_b|^2 over edges [start, end).
void sumSprings(const MeasureSystem& system, const PositionLanes& positions, std::size_t start,
                std::size_t end, FloatLanes& energy) {
  const D d;
  for (std::size_t at = 0; at < kFrameLanes; at += hn::Lanes(d)) {
    const Part part{d, at};
    V sum = hn::Zero(d);
    for (std::size_t i = start; i < end; ++i) {
      const MeasureSystem::Edge& edge = system.edges[i];
      const Vec path = load(part, &positions[edge.rows[1]]) - load(part, &positions[edge.rows[0]]);
      sum = sum + dot(path, path) * part.set(0.5f * edge.spring);
    }
    part.store(sum, energy);
  }
}

// Volumes, their ratios and what the energy gains by them, of tetrahedra [start, end).
void sumVolumes(const MeasureSystem& system, const PositionLanes& positions, std::size_t start,
                std::size_t end, FloatLanes* j, FloatLanes& energy, FloatLanes& gain) {
  const D d;
  const V one = hn::Set(d, 1.0f);
  for (std::size_t at = 0; at < kFrameLanes; at += hn::Lanes(d)) {
    const Part part{d, at};
    V energies = hn::Zero(d), gains = hn::Zero(d);
    for (std::size_t i = start; i < end; ++i) {
      const MeasureSystem::Tet& tet = system.tets[i];
      const Vec base = load(part, &positions[tet.rows[0]]);
      const Vec b = load(part, &positions[tet.rows[1]]) - base;
      const Vec c = load(part, &positions[tet.rows[2]]) - base;
      const V six_volume = dot(cross(b, c), load(part, &positions[tet.rows[3]]) - base);
      const V ratio = six_volume * part.set(tet.inverse_6_volume);
      const V excess = ratio - one, volume = part.set(tet.volume);
      gains = gains + excess * volume;
      const V slope = part.set(tet.half_lambda) * excess - part.set(tet.stiffness);
      energies = energies + slope * excess * volume;
      if (j != nullptr) part.store(ratio, j[i]);
    }
    part.store(energies, energy);
    part.store(gains, gain);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clipmill::stages::tet_bake
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::tet_bake {
namespace {

HWY_EXPORT(sumSprings);
HWY_EXPORT(sumVolumes);

// So many terms are summed in single precision before the sum is carried to double.
constexpr std::size_t kChunk = 32;

void carry(const FloatLanes& from, std::array<double, kFrameLanes>& to) {
  for (std::size_t i = 0; i < kFrameLanes; ++i) to[i] += static_cast<double>(from.at[i]);
}

}  // namespace

std::size_t bytesOf(const MeasureSystem& system) {
  return system.tets.capacity() * sizeof(MeasureSystem::Tet) +
         system.edges.capacity() * sizeof(MeasureSystem::Edge);
}

MeasureSystem makeMeasureSystem(const TetSystem& system, const Material& material) {
  MeasureSystem result;
  for (const SolidTet& tet : system.tets) {
    MeasureSystem::Tet row;
    for (std::size_t i = 0; i < 4; ++i) row.rows[i] = 3 * tet.corners[i];
    row.volume = static_cast<float>(tet.volume);
    row.inverse_6_volume = static_cast<float>(1.0 / (6.0 * tet.volume));
    row.stiffness = static_cast<float>(tet.stiffness);
    row.half_lambda = static_cast<float>(0.5 * tet.stiffness * tet.firmness * material.lambda);
    result.rest_energy += 1.5 * tet.stiffness * tet.volume;
    result.tets.push_back(row);
  }
  for (const TetEdge& edge : system.edges) {
    result.edges.push_back(
        {{3 * edge.corners[0], 3 * edge.corners[1]}, static_cast<float>(edge.spring)});
  }
  return result;
}

BlockMeasures measureFrames(const MeasureSystem& system, const PositionLanes& positions,
                            std::vector<FloatLanes>* j) {
  if (j != nullptr) j->resize(system.tets.size());
  BlockMeasures result;
  result.energy.fill(-system.rest_energy);
  double rest_volume = 0.0;
  for (const MeasureSystem::Tet& tet : system.tets) rest_volume += static_cast<double>(tet.volume);
  result.volume.fill(rest_volume);
  FloatLanes energy, gain;
  for (std::size_t i = 0; i < system.edges.size(); i += kChunk) {
    const std::size_t end = std::min(i + kChunk, system.edges.size());
    HWY_DYNAMIC_DISPATCH(sumSprings)(system, positions, i, end, energy);
    carry(energy, result.energy);
  }
  for (std::size_t i = 0; i < system.tets.size(); i += kChunk) {
    const std::size_t end = std::min(i + kChunk, system.tets.size());
    HWY_DYNAMIC_DISPATCH(sumVolumes)
    (system, positions, i, end, j != nullptr ? j->data() : nullptr, energy, gain);
    carry(energy, result.energy);
    carry(gain, result.volume);
  }
  return result;
}

}  // namespace clipmill::stages::tet_bake
#endif
