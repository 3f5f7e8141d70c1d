// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/morphs/morph_fit.h"
#include "stages/tet_bake/normal_fit.h"
#include "stages/tet_bake/skin_fallback.h"

namespace clipmill::stages::tet_bake {

/// applySkinFallback() of morphs: what is changed is their weights in the clip `index` of a bake.
/// Joints are indices in Skeleton::nodes, -1 for morphs of the whole surface. Weights of other
/// clips are not modified.
FallbackSkin applyMorphFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                const Baked& baked, std::size_t index, MorphFit& fit, int threads);

/// Keeps plain skinning in a clip where the normals of a region are worse (measureNormals() of the
/// regions that the morphs have), by more than 1 % and a twentieth of a degree. Returns how many
/// joints that are.
std::size_t leaveWorseNormals(const Scene& scene, const BakeRig& rig, const Motion& motion,
                              const Baked& baked, std::size_t index,
                              std::span<const NormalErrors> errors, MorphFit& fit,
                              FallbackSkin& skin, int threads);

}  // namespace clipmill::stages::tet_bake
