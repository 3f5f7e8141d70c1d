// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/tet_bake/clip_baker.h"
#include "stages/tet_bake/settings.h"
#include "stages/tet_bake/tets/tet_mesh.h"

namespace clipmill::stages::tet_bake {

/// Solves the elastic equilibrium in all frames of some clips; frames of similar poses find the
/// lower-energy one (neo_hookean). `mesh` is that of the rig, with any firmness. The bakers keep
/// what is solved. Errors: those of ClipSolver.
Status solveEquilibria(const TetMesh& mesh, const TetBakeSettings& settings, int threads,
                       std::vector<ClipBaker*> bakers);

}  // namespace clipmill::stages::tet_bake
