// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "stages/dynamic_bones/chains/chain_names.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::bones {

/// Locks shorter than this stand out by themselves: stiff hair.
inline constexpr double kShortHair_m = 0.12;

/// What a preset depends on besides the class.
struct ChainShape {
  double length_m = 0.0;     ///< Of the longest chain, from its first joint to its tip.
  double bone_m = 0.0;       ///< Mean length of a bone.
  std::size_t branches = 1;  ///< Chains side by side.
};

/// Sets stiffness, damping, thickness and bonds between neighbours to what things of that class are
/// expected to look like. Numbers are chosen by eye, between how things would hang (a uniform rod
/// of length L swings at sqrt(3 g / (2 L)) / 2 pi: 1.1 Hz at 0.3 m) and how stiff they are: what
/// is short or gristly swings fast, what is long and heavy slowly, and tips more slowly than roots.
void applyPreset(ChainClass chain_class, const ChainShape& shape, ChainSettings& chain);

}  // namespace clipmill::bones
