// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/stage.h"
#include "stages/tet_bake/settings.h"

namespace clipmill::stages::tet_bake {

/// Fills the skin with tetrahedra that follow the bones, preserves their volume at every frame
/// (docs/methods.md, tet-bake, and its successors: see solve_clip.h), and stores the corrections of
/// the skin as morph targets with weight keys, as helper joints, or as caches beside the output.
/// All clips share the morphs; a clip that is not selected has their weights at 0.
///
/// Errors: kUnsupported where nothing is skinned or has a volume; kLimit for too many vertices and
/// frames; those of the solver.
Result<StageOutput> runTetBake(const StageInput& input, const TetBakeSettings& settings);

/// The stage as the registry lists it.
StageType tetBakeType();

}  // namespace clipmill::stages::tet_bake
