// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "stages/tet_bake/morphs/make_morphs.h"
#include "stages/tet_bake/morphs/morph_fit.h"

/// Morphs for readers that clamp weights below 0: Blender before 4.0, engines that clamp.
namespace clipmill::stages::tet_bake {

/// Name of the added morphs, which represent all weights at their minimum.
inline constexpr const char* kBaseName = "bake_base";

/// Gives `morphs` weights in [0, 1] that show the same, up to rounding, and without weights nothing
/// as before. A weight w whose least over all frames is a < 0 becomes (w - a) / s, its
/// displacements are multiplied by s, the size of the range, where that is above 1. What that takes
/// away, the sum of a times the displacements, comes back as one more morph of the node, kBaseName,
/// behind its others, with weight 1 in every frame. Nodes whose weights are all positive get none.
void makeWeightsPositive(NodeMorphs& morphs);

/// Without such a base: clamps weights below 0 to 0. Returns their number.
std::size_t clampNegativeWeights(std::span<FittedMorph> fitted);

}  // namespace clipmill::stages::tet_bake
