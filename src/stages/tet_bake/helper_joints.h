// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "scene/additions.h"
#include "stages/stage.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/joints/bones_fit.h"
#include "stages/tet_bake/settings.h"

/// Helper joints as files have them.
namespace clipmill::tet_bake {

inline constexpr const char* kBakePrefix = "bake";
inline constexpr const char* kTwistPrefix = "twist";

/// One a point of the surface: 1 where a vertex cannot get new weights, for its mesh stands beside
/// one without a skin, or its skin names a joint twice.
std::vector<char> keptPoints(const Scene& scene, const BakeSurface& surface);

/// The joints of `fit`, each below its owner at its pivot and without a turn of its own, and the
/// weights of all nodes that show a vertex that follows one. Vertices without weights follow the
/// first joint of their skin. Named "<prefix>_<joint>_<number>" by regions; `prefix` is kBakePrefix
/// or kTwistPrefix.
Additions helperAdditions(const Scene& scene, const BakeSurface& surface, const BonesFit& fit,
                          const std::string& prefix);

/// What helpers in a file's own skeleton have of each point, given back to the joints that they
/// hang on. They are known by their names (those of helperAdditions(), with "bake" or "twist") and
/// have nothing below them.
void giveBackHelpers(const Skeleton& skeleton, BakeSurface& surface);

/// Gives a motion that has the helpers, from node `first` on, their places and turns: the frames of
/// the fit from `begin` on. Helpers that rest are not touched.
void keyHelpers(const BakeSurface& surface, const BonesFit& fit, std::size_t begin,
                std::size_t first, Motion& motion);

/// The motion with the helpers' places and turns, the frames of the fit from `begin` on. `before`
/// and `after` are the skeletons without and with them.
Motion keyedHelpers(const Skeleton& before, const Skeleton& after, const BakeSurface& surface,
                    const Motion& motion, const BonesFit& fit, std::size_t begin);

/// Bakes into helper joints: those of fitBones(), in all clips, but where they would be worse than
/// plain skinning (gateSkin()).
StageOutput bakeToBones(const StageInput& input, const TetBakeSettings& settings,
                        const BakeRig& rig, const Baked& baked);

}  // namespace clipmill::tet_bake
