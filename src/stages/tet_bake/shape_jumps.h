// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/morphs/pose_nearness.h"

namespace clipmill::tet_bake {

/// The columns f, ascending, between which and f + 1 the flesh of a clip jumps: a point's
/// displacement before skinning (PointDisplacements of all clips) changes by more than a quarter of
/// `edge_m` and what the turning of the bones about it explains, twice its limb's radius times
/// their angle. `angles` are those of the clip, which begins at column `begin`.
std::vector<std::size_t> findShapeJumps(const BakeRig& rig, const PoseAngles& angles,
                                        const PointDisplacements& before_skin, std::size_t begin,
                                        double edge_m);

}  // namespace clipmill::tet_bake
