// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "stages/stage.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/bake_report.h"

namespace clipmill::tet_bake {

/// Puts into the result of the clip `index` what dual quaternion skinning (drive.h), the usual
/// remedy for lost volume, would make of the same skin: dual_quaternion_error_rms_mm, its distance
/// from the solved surface over the points that the bake moves anywhere,
/// dual_quaternion_least_limb_volume_percent, and for each limb that has a series of its volume
/// another one, dual_quaternion_limb_volume_percent. `limbs` are those of the clip's ClipErrors.
void reportDualQuaternions(const Scene& scene, const BakeRig& rig, const Motion& motion,
                           const Baked& baked, std::size_t index, std::span<const LimbSeries> limbs,
                           int threads, StageResult& result);

}  // namespace clipmill::tet_bake
