// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/morphs/morph_fit.h"

/// The volume that a fit of few morphs leaves out.
namespace clipmill::stages::tet_bake {

/// Changes weights of morphs, frame by frame, so that limbs have the least volume that dual
/// quaternion or plain skinning have anywhere in the clip, whichever is more, and 92 % of that at
/// rest: by the change with the least displacement of the skin, root mean square over its points,
/// and no more than three tenths of what the morphs displace in that frame.
/// Weights stay in [-1, 1]; displacements are scaled for that.
void keepLimbVolumes(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                     const Baked& baked, std::span<FittedMorph> morphs, int threads);

}  // namespace clipmill::stages::tet_bake
