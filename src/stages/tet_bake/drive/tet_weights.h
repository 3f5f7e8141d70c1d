// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/tet_bake/surface/bake_surface.h"
#include "stages/tet_bake/tets/lattice.h"
#include "stages/tet_bake/tets/tet_mesh.h"

namespace clipmill::tet_bake {

/// Corners of tetrahedra that edges join: corner v has neighbours [begin[v], begin[v + 1]),
/// ascending.
struct CornerGraph {
  std::vector<std::uint32_t> begin, neighbours;

  std::span<const std::uint32_t> of(std::uint32_t corner) const {
    return std::span(neighbours).subspan(begin[corner], begin[corner + 1] - begin[corner]);
  }
};

CornerGraph cornerGraph(const TetMesh& mesh);

/// Weights of every corner, continued from the samples along the edges: see driveTets().
std::vector<std::vector<Influence>> cornerWeights(const BakeSurface& surface,
                                                  std::span<const SurfaceSample> samples,
                                                  const TetMesh& mesh, const CornerGraph& graph);

}  // namespace clipmill::tet_bake
