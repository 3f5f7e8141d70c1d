// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math.h"
#include "mesh/skinned_mesh.h"

namespace clipmill {

/// Vertices of a mesh in one pose, in world space.
struct PosedVertices {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;  ///< Unit length; empty where the mesh has none.
};

/// Morphs, then linear blend skinning (docs/methods.md, skeletal animation): each position is the
/// weighted sum of where its joints carry it; normals go with the inverse transpose of the blended
/// map and are renormalised. A mesh without skin follows its node.
///
/// `skin` is the mesh's skin or null; `world_from_node` has one map for every node of the skeleton;
/// `morph_weights` one for each morph (missing ones count as 0). `posed` is resized.
void poseMesh(const SkinnedMesh& mesh, const Skin* skin, std::span<const Affine> world_from_node,
              std::span<const double> morph_weights, PosedVertices& posed);

}  // namespace clipmill
