// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/skin_surface.h"
#include "stages/tet_bake/tets/lattice.h"
#include "stages/tet_bake/tets/tet_mesh.h"

namespace clipmill::stages::tet_bake {

/// Corners of tetrahedra that edges join: corner v has neighbours [start[v], start[v + 1]),
/// ascending.
struct CornerGraph {
  std::vector<std::uint32_t> start, neighbours;

  std::span<const std::uint32_t> of(std::uint32_t corner) const {
    return std::span(neighbours).subspan(start[corner], start[corner + 1] - start[corner]);
  }
};

CornerGraph cornerGraph(const TetMesh& mesh);

/// Weights of every corner, continued from the samples along the edges: see bindTets().
std::vector<std::vector<Influence>> cornerWeights(const SkinSurface& surface,
                                                  std::span<const SurfaceSample> samples,
                                                  const TetMesh& mesh, const CornerGraph& graph);

}  // namespace clipmill::stages::tet_bake
