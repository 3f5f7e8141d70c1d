// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "retarget/support_heights.h"

namespace clipmill::retarget {

/// A leg moves its foot by no more than this share of its length.
inline constexpr double kMaxFootMove = 0.35;

/// What is needed at every frame for a character to bear on the ground as that of a clip does.
struct SupportNeeds {
  /// [sole][frame]: how far it has to rise, how much it bears (0..1), and how much it counts.
  std::array<std::vector<double>, 2> rises_m, bears, weights;
  /// How much each sole counts where the leg is too short: one in contact with the ground counts
  /// in full, planted or not.
  std::array<std::vector<double>, 2> reaches;
  /// How far each sole of the clip is on its ground, from 0 to 1, while no trunk bears: 1 also for
  /// one that is in the ground by little.
  std::array<std::vector<double>, 2> on_ground;
  std::array<std::vector<double>, 2> under_m;  ///< How far soles are below level ground.
  std::vector<double> trunk_bears, trunk_rises_m;
  /// How far the trunk is in level ground, where that of the source is not.
  std::vector<double> trunk_under_m;
  /// How far the trunk may drop until it is there: infinite where it may drop at all.
  std::vector<double> trunk_clear_m;
};

/// The needs of `to`, a clip on another character, from the heights of the clip over
/// `from_ground_m`. `scale` is that of lengths.
SupportNeeds findSupportNeeds(const SupportHeights& from, double from_ground_m,
                              const PlantedFeet& planted, const SupportHeights& to, double scale);

}  // namespace clipmill::retarget
