// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scene/additions.h"
#include "stages/tet_bake/morphs/morph_fit.h"
#include "stages/tet_bake/surface/bake_surface.h"

namespace clipmill::tet_bake {

/// Morphs of nodes, and which of the fitted ones each has its weights from.
struct NodeMorphs {
  std::vector<AddedMorph> morphs;
  std::vector<std::size_t> fitted;  ///< One a morph.
};

/// Morphs of points as morphs of the meshes that show them, a copy for every node of which they
/// move a vertex, named "bake_<joint>_<number>". `with_normals`: how normals turn between weights
/// -1 and 1, for meshes that have some. The same for any number of threads.
NodeMorphs makeNodeMorphs(const Scene& scene, const BakeSurface& surface,
                          std::span<const FittedMorph> fitted, bool with_normals, int threads = 1);

/// What the morphs' displacements take in a glTF file, without what does not move.
std::size_t bytesOf(std::span<const AddedMorph> morphs);

}  // namespace clipmill::tet_bake
