// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "stages/dynamic_bones/chains/chain_names.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Hair strands shorter than this are stiff.
inline constexpr double kShortHair_m = 0.12;
/// From this length on hair is long.
inline constexpr double kLongHair_m = 0.3;

/// Properties of a chain that a preset depends on.
struct ChainShape {
  double length_m = 0.0;     ///< Of the longest chain, from its first joint to its tip.
  double bone_m = 0.0;       ///< Mean length of a bone.
  std::size_t branches = 1;  ///< Chains side by side.
};

/// Sets the values of the chain's `preset` where the chain has the default; `preset` becomes none.
/// The values are chosen by eye: droop_deg, damping_ratio and air_drag_per_s, and for skirts and
/// capes cross constraints.
void applyNamedPreset(ChainSettings& chain);

/// Sets frequency, damping, radius and cross constraints for chains of that class. The values are
/// chosen by eye, between the frequency of a hanging rod (a uniform rod of length L swings at
/// sqrt(3 g / (2 L)) / 2 pi: 1.1 Hz at 0.3 m) and the stiffness of the material: short or firm
/// chains swing fast, long and heavy ones slowly, and tips more slowly than roots. Rods take the
/// droop of the named preset that suits the class in place of the frequency.
void applyPreset(ChainClass chain_class, const ChainShape& shape, ChainSettings& chain);

}  // namespace clipmill::stages::dynamic_bones
