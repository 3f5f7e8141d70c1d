// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "stages/stage.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/bake_report.h"

namespace clipmill::stages::tet_bake {

/// Adds dual quaternion skinning of the same skin (tet_binding.h), the usual remedy for volume
/// loss, to the result of the clip `index` for comparison: dual_quaternion_error_rms_mm, its
/// distance from the solved surface over the points that the bake moves,
/// dual_quaternion_min_limb_volume_percent, and the series dual_quaternion_limb_volume_percent for
/// each limb that has a volume series. `limbs` are those of the clip's ClipErrors.
void reportDualQuaternions(const Scene& scene, const BakeRig& rig, const Motion& motion,
                           const Baked& baked, std::size_t index, std::span<const LimbSeries> limbs,
                           int threads, StageResult& result);

}  // namespace clipmill::stages::tet_bake
