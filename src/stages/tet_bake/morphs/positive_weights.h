// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "stages/tet_bake/morphs/make_morphs.h"
#include "stages/tet_bake/morphs/morph_fit.h"

/// Morphs for readers that cut weights below 0: Blender before 4.0, engines that clamp.
namespace clipmill::tet_bake {

/// What the added morphs are called that stand for all weights at their least.
inline constexpr const char* kBaseName = "bake_base";

/// Gives `morphs` weights in [0, 1] that show the same, up to rounding, and without weights nothing
/// as before. A weight w whose least over all frames is a < 0 becomes (w - a) / s, its
/// displacements are multiplied by s, the size of the range, where that is above 1. What that takes
/// away, the sum of a times the displacements, comes back as one more morph of the node, kBaseName,
/// behind its others, with weight 1 in every frame. Nodes whose weights are all positive get none.
void makeWeightsPositive(NodeMorphs& morphs);

/// Where there is no room for such a base: weights below 0 become 0, the nearest to them that the
/// morph can show. Returns how many these were.
std::size_t cutNegativeWeights(std::span<FittedMorph> fitted);

}  // namespace clipmill::tet_bake
