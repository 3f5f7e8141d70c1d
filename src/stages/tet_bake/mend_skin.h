// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/clip_baker.h"

namespace clipmill::stages::tet_bake {

/// Mends the solved surface of a clip where it is worse than plain skinning: its edges
/// (mendEdges()), then, with fold_contact, skin within other skin (separateFolds()). What that
/// moves is smoothed over time; limbs and edges are mended once more (fillLimbs(), mendEdges()),
/// and contact yields to them (ContactGuard).
void mendSkin(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
              std::size_t index, const TetBakeSettings& settings, int threads, ClipBaker& baker,
              Baked& baked);

}  // namespace clipmill::stages::tet_bake
