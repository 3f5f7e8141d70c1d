// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/stage.h"
#include "stages/tet_bake/settings.h"

namespace clipmill {

/// Fills the skin with tetrahedra that bones carry, lets them keep their volume at every frame
/// (SOURCES S4, and its successors: see solve_clip.h), and turns what that does to the skin into
/// morph targets with keyed weights, or into caches beside the output. All clips share the morphs;
/// a clip that is not selected has their weights at 0.
///
/// Errors: kUnsupported where nothing is skinned or has a volume; kLimit for too many vertices and
/// frames; those of the solver.
Result<StageOutput> runTetBake(const StageInput& input, const TetBakeSettings& settings);

}  // namespace clipmill
