// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "stages/stage.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/driven_data.h"

/// Measures drivers, and leaves out those that are worse than plain skinning.
namespace clipmill::stages::tet_bake {

/// The skin with drivers in a frame of a clip.
using DrivenSkin = std::function<MorphedSkin(std::size_t clip, std::size_t frame)>;

/// Errors of each clip with the skin that `skin_of` gives. Joints whose driver is farther from the
/// solved surface than plain skinning, over all clips, keep plain skinning: `remove` removes the
/// driver of a node, after which `skin_of` is without it; false if it has none. They are named in
/// the first of `results`.
std::vector<ClipErrors> leaveWorseDrivers(const DrivenData& data, const Baked& baked,
                                          const DrivenSkin& skin_of,
                                          const std::function<bool(int node)>& remove,
                                          std::span<StageResult> results);

/// Errors of each clip with drivers that are fitted without it and its half of the clips (the half
/// of clip c is c modulo kClipHalves); empty for a single clip. `fit_without` fits without a half.
std::vector<ClipErrors> heldOutErrors(
    const DrivenData& data, const Baked& baked,
    const std::function<DrivenSkin(std::size_t half)>& fit_without);

/// Adds the number of drivers, heldOutErrors() and the frames of joints that are worse than plain
/// skinning to the results, one per clip: a driver does not know the clip, and does not fade.
void reportDrivers(const DrivenData& data, std::size_t driver_count,
                   std::span<const ClipErrors> errors, std::span<const ClipErrors> held_out,
                   std::span<StageResult> results);

}  // namespace clipmill::stages::tet_bake
