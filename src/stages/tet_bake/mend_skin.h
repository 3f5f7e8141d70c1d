// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/clip_baker.h"

namespace clipmill::stages::tet_bake {

/// Mends the solved surface of a clip where it is worse than plain skinning: skin moves out of
/// other skin (separateFolds()), which is smoothed over time (smoothClip()), limbs that have less
/// volume after that are filled again (fillLimbs()), and edges are mended (mendEdges()).
void mendSkin(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
              std::size_t index, const TetBakeSettings& settings, int threads, ClipBaker& baker,
              Baked& baked);

}  // namespace clipmill::stages::tet_bake
