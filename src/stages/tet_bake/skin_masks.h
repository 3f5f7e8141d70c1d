// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "scene/scene.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/morphs/morph_regions.h"
#include "stages/tet_bake/settings.h"

/// Parts of the skin that take less of the correction, or none.
namespace clipmill::stages::tet_bake {

/// Names of a part of the skin, for a mask or a region: those that are set.
struct SkinNames {
  const std::optional<std::string>& joint;
  const std::optional<std::string>& mesh;
  const std::optional<std::string>& material;
};

/// Errors: kRecipe without any name; kNotFound for a name that nothing in the scene has. `kind`,
/// "mask", is where they are.
Status checkSkinNames(const Scene& scene, const SkinNames& names, const std::string& kind);

/// 1 for the points of the meshes and materials that have the names, fading to 0 over four edges
/// beyond them.
std::vector<double> sharesOfMeshes(const Scene& scene, const SkinSurface& surface,
                                   const SkinNames& names);

/// Errors: kRecipe for a mask without joint, mesh and material; kNotFound for a name that nothing
/// in the scene has.
Status checkMasks(const Scene& scene, std::span<const MaskSettings> masks);

/// The share of its correction that each point shows, 0..1: 1 - stiffness of the stiffest mask
/// there. Empty where all are 1. A mask of a joint has as much of a point as the joint's region
/// has; those of meshes and materials fade over four edges beyond them.
std::vector<double> shownShares(const Scene& scene, const SkinSurface& surface,
                                std::span<const MorphRegion> regions,
                                std::span<const MaskSettings> masks);

/// Takes the points whose share is 0 out of the regions, and drops regions without points.
void dropLeftOut(std::span<const double> shown, std::vector<MorphRegion>& regions);

}  // namespace clipmill::stages::tet_bake
