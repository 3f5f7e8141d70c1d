// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/clip_baker.h"

namespace clipmill::stages::tet_bake {

/// What worseFrames() may find before the fit of morphs, which adds to both.
inline constexpr ClipLimits kMendLimits = {
    .stretch_share = 0.9, .free_stretch = 0.0, .folds_share = 0.9};

/// Mends the solved surface of a clip in the frames in which worseFrames() finds its edges worse
/// than those of plain skinning, with limits a tenth lower: the fit of morphs adds to both.
/// - Where edges of a region are strained too much, its points slide along the surface
///   (SlidingSurface), no farther than that takes.
/// - Where edges are flipped that plain skinning keeps, the correction about them is smoothed: two
///   edges around in full, beyond them less and less; in up to four rounds.
/// Both fade over a tenth of a second. What does not lower the sum of
/// faults over all frames, flipped edges that are too many and strain above its limit, is undone.
void mendEdges(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
               std::size_t index, int threads, ClipBaker& baker, Baked& baked);

}  // namespace clipmill::stages::tet_bake
