// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scene/additions.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/morphs/morph_fit.h"

namespace clipmill::stages::tet_bake {

/// Morphs of nodes with their weights, which morphs of several nodes share.
struct NodeMorphs {
  std::vector<AddedMorph> morphs;
  std::vector<std::size_t> row;              ///< One per morph: its row in `weights`.
  std::vector<std::vector<double>> weights;  ///< Rows of one per frame of all clips.
};

/// Morphs of points as morphs of the meshes that show them, a copy for every node of which they
/// move a vertex, named "bake_<joint>_<number>". `normals`: changes of the surface's normals at
/// weight 1, one list per fitted morph, for meshes with normals; none: without normal deltas. A row
/// of weights for each fitted one. The same for any number of threads.
NodeMorphs makeNodeMorphs(const Scene& scene, const SkinSurface& surface,
                          std::span<const FittedMorph> fitted,
                          std::span<const std::vector<Vec3>> normals, int threads = 1);

/// Has `morphs` stored as 16-bit integers where the format can. With `bounded` those that move a
/// vertex by more than one unit of their mesh stay floats: as integers, which end at 1, they would
/// take weights above 1. Returns how many these are.
std::size_t storeAsInt16(std::span<AddedMorph> morphs, bool bounded);

/// The same for weights that others than the file know: the displacements of the first
/// `scaled_rows` rows are divided, and their weights multiplied, by a power of two, so that the
/// file has the weights as they are then. The weights of the other rows stay as they are.
std::size_t storeScaledAsInt16(NodeMorphs& morphs, std::size_t scaled_rows, bool bounded);

/// Rounds weights from 0 to 1 to what 8-bit integers can be, as which glTF files then store them.
void roundWeightsToBytes(NodeMorphs& morphs);

/// The bytes of a moved vertex in a target of a glTF file.
std::size_t bytesPerVertex(bool as_int16, bool with_normals);

/// What the morphs' displacements take in a glTF file, without what does not move.
std::size_t bytesOf(std::span<const AddedMorph> morphs);

}  // namespace clipmill::stages::tet_bake
