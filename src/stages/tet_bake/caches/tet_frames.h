// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "core/result.h"
#include "scene/additions.h"
#include "stages/tet_bake/bake.h"

namespace clipmill::stages::tet_bake {

/// The tetrahedra of each clip of a bake with keep_tets, as they were solved (before corrections
/// are averaged over time), one file a clip beside the output: "_<clip>.tets" (mesh/tet_motion.h).
/// Errors: those of tetMotionFile().
Status addTetFiles(const BakeRig& rig, std::span<const Motion> motions, const Baked& baked,
                   Additions& additions);

}  // namespace clipmill::stages::tet_bake
