// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/helper_influences.h"
#include "scene/additions.h"
#include "stages/stage.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/joints/bones_fit.h"
#include "stages/tet_bake/settings.h"

/// Helper joints as nodes, weights and keys of the output.
namespace clipmill::stages::tet_bake {

/// One per point of the surface: 1 where a vertex keeps its weights, because its node also has a
/// mesh without a skin, or its skin lists a joint twice.
std::vector<char> keptPoints(const Scene& scene, const SkinSurface& surface);

/// The joints of `fit`, each a child of its owner, at its pivot and without a rotation, and the
/// weights of all nodes that show a vertex that follows one. Vertices without weights follow the
/// first joint of their skin. Named "<prefix>_<joint>_<number>" by regions; `prefix` is
/// measure::kBakePrefix or measure::kTwistPrefix.
Additions helperAdditions(const Scene& scene, const SkinSurface& surface, const BonesFit& fit,
                          const std::string& prefix);

/// Writes translations and rotations of the helpers, which are the nodes from `first` on, into a
/// motion: the frames of the fit from `start` on. Helpers without animation are not modified.
void keyHelpers(const SkinSurface& surface, const BonesFit& fit, std::size_t start,
                std::size_t first, Motion& motion);

/// The motion with the helpers' translations and rotations, the frames of the fit from `start` on.
/// `before` and `after` are the skeletons without and with them.
Motion keyedHelpers(const Skeleton& before, const Skeleton& after, const SkinSurface& surface,
                    const Motion& motion, const BonesFit& fit, std::size_t start);

/// What a bake into helper joints asks of fitBones().
BonesFitSettings bonesFitSettings(const TetBakeSettings& settings, int threads);

/// Plain, and with helpers. `worlds`: worldsAt() of the frame `column` of the fit.
MorphedSkin skinWithHelpers(const SkinSurface& surface, const BonesFit& fit,
                            std::span<const Affine> worlds, std::size_t column);

/// Adds the number of helpers and the bytes of their keys to the metrics of a clip.
void reportHelpers(const BonesFit& fit, StageResult& result);

/// Warns of points that keep their weights (keptPoints()), and of those that follow no helper.
void reportStillPoints(std::span<const char> is_kept, const BonesFit& fit, StageResult& result);

/// Bakes into helper joints: those of fitBones(), in all clips except where they are worse than
/// plain skinning (applySkinFallback()).
StageOutput bakeToBones(const StageInput& input, const TetBakeSettings& settings,
                        const BakeRig& rig, const Baked& baked);

}  // namespace clipmill::stages::tet_bake
