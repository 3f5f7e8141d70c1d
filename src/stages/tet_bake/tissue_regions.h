// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/result.h"
#include "scene/scene.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/settings.h"
#include "stages/tet_bake/tets/lattice.h"
#include "stages/tet_bake/tets/tet_mesh.h"

/// Regions of dynamic soft tissue with a softness of their own.
namespace clipmill::stages::tet_bake {

/// Errors: kRecipe for a region without joint, mesh and material, or without a value; kNotFound for
/// a name that nothing in the scene has.
Status checkRegions(const Scene& scene, std::span<const RegionSettings> regions);

/// Sets TetMesh::stiffness, and multiplies the elastic foundation by it, so that tissue of k times
/// the stiffness swings sqrt(k) times as fast. Returns the settling time of each corner. A corner
/// has as much of a region as its joints have of the weights there, and as the skin about it has of
/// the region's meshes and materials. Nothing changes without regions, and the result is empty.
std::vector<double> applyRegions(const Scene& scene, const SkinSurface& surface,
                                 std::span<const SurfaceSample> samples,
                                 const TetBakeSettings& settings, TetMesh& mesh);

}  // namespace clipmill::stages::tet_bake
