// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/clip_baker.h"

/// Contact of the skin with itself.
namespace clipmill::stages::tet_bake {

/// Moves the surface of a clip out of other skin, in every frame that is a multiple of `step`, and
/// in the last one. Points of both sides move until none is farther within other skin than nine
/// tenths of what plain skinning has there; those that are hardly corrected may be as far as with
/// plain skinning, and those that are within other skin at rest nearly so. Paths lead to the
/// nearest point of the other side (projected constraints of distance; M. Mueller et al., Position
/// based dynamics, 2007, section 3.3), are smoothed over the surface, and shorter where they would
/// flip edges.
void separateFolds(const Scene& scene, const BakeRig& rig, const SkinTools& tools,
                   const Motion& motion, std::size_t index, std::size_t step, int threads,
                   ClipBaker& baker, Baked& baked);

}  // namespace clipmill::stages::tet_bake
