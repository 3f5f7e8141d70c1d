// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/frame_stats.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {

namespace {

double percentile(std::vector<float>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return static_cast<double>(values[toSize(at)]);
}

// What bones alone carry is as they have it: fingers thinner than the cells, fixed to them.
std::vector<std::size_t> tetsThatMove(const TetSystem& system) {
  std::vector<std::size_t> tets;
  for (std::size_t t = 0; t < system.tets.size(); ++t) {
    const Tet& corners = system.tets[t].corners;
    const bool is_held = std::all_of(corners.begin(), corners.end(),
                                     [&](std::uint32_t corner) { return system.isFixed(corner); });
    if (!is_held) tets.push_back(t);
  }
  return tets;
}

void measureRatios(const std::vector<FloatLanes>& ratios, std::span<const std::size_t> tets,
                   std::size_t lane, FrameStats& stats) {
  std::vector<float> j;
  for (const std::size_t t : tets) j.push_back(ratios[t].at[lane]);
  if (j.empty() || !std::all_of(j.begin(), j.end(), [](float x) { return std::isfinite(x); })) {
    return;
  }
  stats.inverted = toSize(std::count_if(j.begin(), j.end(), [](float x) { return x <= 0.0f; }));
  stats.j_min = static_cast<double>(*std::min_element(j.begin(), j.end()));
  stats.j_p1 = percentile(j, 0.01);
  stats.j_p99 = percentile(j, 0.99);
}

// Of the springs that hold corners.
double heldEnergy(const TetSystem& system, const FrameBlock& block, std::size_t lane) {
  double energy = 0.0;
  const FloatLanes* target = block.targets.data();
  for (const std::uint32_t v : system.movable) {
    if (!(system.hold[v] > 0.0)) continue;
    const Vec3 path = positionOf(&block.positions[3 * v], lane) - positionOf(target, lane);
    energy += 0.5 * system.hold[v] * glm::dot(path, path);
    target += 3;
  }
  return energy;
}

}  // namespace

void measureStats(const TetSystem& system, const MeasureSystem& measures, FrameBlock& block) {
  std::vector<FloatLanes> ratios;
  const BlockMeasures measured = measureFrames(measures, block.positions, &ratios);
  const std::vector<std::size_t> tets = tetsThatMove(system);
  for (std::size_t lane = 0; lane < block.count; ++lane) {
    FrameStats& stats = block.stats[lane];
    stats.energy = measured.energy[lane];
    stats.held_energy = stats.energy + heldEnergy(system, block, lane);
    if (system.volume > 0.0) {
      stats.volume_share = measured.volume[lane] / system.volume;
    }
    measureRatios(ratios, tets, lane, stats);
  }
}

}  // namespace clipmill::stages::tet_bake
