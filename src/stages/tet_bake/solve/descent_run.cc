// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/descent_run.h"

#include <array>
#include <cmath>
#include <utility>

namespace clipmill::stages::tet_bake {

namespace {

using Energies = std::array<double, kFrameLanes>;

// Of the springs that hold corners to where the bones carry them.
void addHolds(const DescentSystem& system, const DescentBlock& block, Energies& energy) {
  for (const SweepCorner& corner : system.corners) {
    if (!(corner.hold > 0.0f)) continue;
    for (std::size_t lane = 0; lane < kFrameLanes; ++lane) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double path = static_cast<double>(block.positions[corner.row + k].at[lane]) -
                            static_cast<double>(block.targets[corner.hold_row + k].at[lane]);
        energy[lane] += 0.5 * static_cast<double>(corner.hold) * path * path;
      }
    }
  }
}

// Takes one sweep into a frame's stats; true where the frame has come to rest.
bool settle(const SweepLanes& sweep, std::size_t lane, const DescentSettings& settings,
            double& energy, FrameStats& stats) {
  const auto loss = static_cast<double>(sweep.energy_loss.at[lane]);
  ++stats.sweeps;
  stats.last_step = std::sqrt(static_cast<double>(sweep.square_step.at[lane]));
  energy -= loss;
  stats.has_converged =
      stats.last_step < settings.step_tolerance || loss < settings.energy_tolerance * energy;
  return stats.has_converged;
}

}  // namespace

void runDescent(const DescentSystem& system, const DescentSettings& settings, Energies energy,
                FrameBlock& frames) {
  DescentBlock block{std::move(frames.positions), std::move(frames.targets), {}};
  if (settings.energy_tolerance > 0.0) addHolds(system, block, energy);
  std::size_t moving = 0;
  for (std::size_t lane = 0; lane < frames.count; ++lane) {
    FrameStats& stats = frames.stats[lane];
    stats.has_converged = system.corners.empty();
    if (!stats.is_solved || stats.has_converged) continue;
    block.active.at[lane] = 1.0f;
    ++moving;
  }
  SweepLanes sweep;
  for (int i = 0; i < settings.max_sweeps && moving > 0; ++i) {
    sweepCorners(system, static_cast<float>(settings.over_relaxation), block, sweep);
    for (std::size_t lane = 0; lane < frames.count; ++lane) {
      if (!(block.active.at[lane] > 0.0f)) continue;
      if (!settle(sweep, lane, settings, energy[lane], frames.stats[lane])) continue;
      block.active.at[lane] = 0.0f;
      --moving;
    }
  }
  frames.positions = std::move(block.positions);
  frames.targets = std::move(block.targets);
}

}  // namespace clipmill::stages::tet_bake
