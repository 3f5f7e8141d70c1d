// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/frame_stats.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace clipmill::tet_bake {

namespace {

double percentile(std::vector<float>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return static_cast<double>(values[static_cast<std::size_t>(at)]);
}

void measureRatios(const std::vector<FloatLanes>& ratios, std::size_t lane, FrameStats& stats) {
  std::vector<float> j(ratios.size());
  for (std::size_t t = 0; t < j.size(); ++t) j[t] = ratios[t].at[lane];
  if (j.empty() || !std::all_of(j.begin(), j.end(), [](float x) { return std::isfinite(x); })) {
    return;
  }
  stats.inverted = static_cast<std::size_t>(
      std::count_if(j.begin(), j.end(), [](float x) { return x <= 0.0f; }));
  stats.j_min = static_cast<double>(*std::min_element(j.begin(), j.end()));
  stats.j_p1 = percentile(j, 0.01);
  stats.j_p99 = percentile(j, 0.99);
}

}  // namespace

void measureStats(const TetSystem& system, const MeasureSystem& measures, FrameBlock& block) {
  std::vector<FloatLanes> ratios;
  const BlockMeasures measured = measureFrames(measures, block.places, &ratios);
  for (std::size_t lane = 0; lane < block.count; ++lane) {
    FrameStats& stats = block.stats[lane];
    stats.energy = measured.energy[lane];
    if (system.volume > 0.0) {
      stats.volume_share = measured.volume[lane] / system.volume;
    }
    measureRatios(ratios, lane, stats);
  }
}

}  // namespace clipmill::tet_bake
