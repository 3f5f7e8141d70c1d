// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/morphs/pose_nearness.h"

namespace clipmill::stages::tet_bake {

/// The columns f, ascending, where the soft tissue of a clip jumps between f and f + 1: a point's
/// displacement before skinning (PointDisplacements of all clips) changes by more than a quarter of
/// `edge_m` plus twice its limb's radius times the rotation angle of the bones about it. `angles`
/// are those of the clip, which starts at column `start`.
std::vector<std::size_t> findShapeJumps(const BakeRig& rig, const PoseAngles& angles,
                                        const PointDisplacements& before_skin, std::size_t start,
                                        double edge_m);

}  // namespace clipmill::stages::tet_bake
