// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/descent_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace clipmill::stages::tet_bake {

namespace {

using Energies = std::array<double, kFrameLanes>;

// Of the springs that hold corners to where the bones carry them.
template <class Row>
void addHolds(const DescentSystem& system, const DescentBlockOf<Row>& block, std::size_t count,
              Energies& energy) {
  for (const SweepCorner& corner : system.corners) {
    if (!(corner.hold > 0.0f)) continue;
    for (std::size_t lane = 0; lane < count; ++lane) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double path = static_cast<double>(block.positions[corner.row + k].at[lane]) -
                            static_cast<double>(block.targets[corner.hold_row + k].at[lane]);
        energy[lane] += 0.5 * static_cast<double>(corner.hold) * path * path;
      }
    }
  }
}

// Takes one sweep into a frame's stats; true where the frame has come to rest.
template <class Row>
bool settle(const SweepLanesOf<Row>& sweep, std::size_t lane, const DescentSettings& settings,
            double& energy, FrameStats& stats) {
  const auto loss = static_cast<double>(sweep.energy_loss.at[lane]);
  ++stats.sweeps;
  stats.last_step = std::sqrt(static_cast<double>(sweep.square_step.at[lane]));
  energy -= loss;
  stats.has_converged =
      stats.last_step < settings.step_tolerance || loss < settings.energy_tolerance * energy;
  return stats.has_converged;
}

template <class Row>
void descend(const DescentSystem& system, const DescentSettings& settings, Energies energy,
             DescentBlockOf<Row>& block, FrameBlock& frames) {
  if (settings.energy_tolerance > 0.0) addHolds(system, block, frames.count, energy);
  std::size_t moving = 0;
  for (std::size_t lane = 0; lane < frames.count; ++lane) {
    FrameStats& stats = frames.stats[lane];
    stats.has_converged = system.corners.empty();
    if (!stats.is_solved || stats.has_converged) continue;
    block.active.at[lane] = 1.0f;
    ++moving;
  }
  SweepLanesOf<Row> sweep;
  for (int i = 0; i < settings.max_sweeps && moving > 0; ++i) {
    sweepCorners(system, static_cast<float>(settings.over_relaxation), block, sweep);
    for (std::size_t lane = 0; lane < frames.count; ++lane) {
      if (!(block.active.at[lane] > 0.0f)) continue;
      if (!settle(sweep, lane, settings, energy[lane], frames.stats[lane])) continue;
      block.active.at[lane] = 0.0f;
      --moving;
    }
  }
}

template <class To, class From>
void copyLanes(const std::vector<From>& from, std::vector<To>& to) {
  constexpr std::size_t kWidth = std::min(sizeof(To), sizeof(From)) / sizeof(float);
  to.resize(from.size());
  for (std::size_t row = 0; row < from.size(); ++row) {
    std::copy_n(from[row].at, kWidth, to[row].at);
  }
}

template <class Row>
void descendNarrow(const DescentSystem& system, const DescentSettings& settings,
                   const Energies& energy, FrameBlock& frames) {
  DescentBlockOf<Row> block;
  copyLanes(frames.positions, block.positions);
  copyLanes(frames.targets, block.targets);
  descend(system, settings, energy, block, frames);
  copyLanes(block.positions, frames.positions);
}

}  // namespace

void runDescent(const DescentSystem& system, const DescentSettings& settings, Energies energy,
                FrameBlock& frames) {
  if (frames.count <= 4) return descendNarrow<LaneRow<4>>(system, settings, energy, frames);
  if (frames.count <= 8) return descendNarrow<LaneRow<8>>(system, settings, energy, frames);
  DescentBlock block{std::move(frames.positions), std::move(frames.targets), {}};
  descend(system, settings, energy, block, frames);
  frames.positions = std::move(block.positions);
  frames.targets = std::move(block.targets);
}

}  // namespace clipmill::stages::tet_bake
