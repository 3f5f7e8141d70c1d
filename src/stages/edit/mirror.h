// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/edit/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::edit {

/// Mirrors each motion: left and right side exchange their motion.
///
/// In metric space, with S the reflection about the upright plane that parts the sides of the
/// character and m the counterpart of node n (findCounterparts()): A_n' = S A_m A_m_rest^T S
/// A_n_rest for the axes of nodes, where rest is the pose in which skins were bound; so bones may
/// have any axes, and they may differ between the sides. Steps of translations away from rest are
/// mirrored likewise, ratios of scales are exchanged, and so are morph weights of counterparts.
/// Nodes without a counterpart keep their local transforms. Twice is the clip again, but for
/// rounding.
///
/// Metrics: mirrored_pairs. Warnings: no_counterpart, morphs_not_mirrored. Errors: kUnsupported for
/// a character without two sides; those of humanoidFromPairs() and findCounterparts().
Result<std::vector<StageResult>> runMirror(const StageInput& input, const MirrorSettings& settings);

/// The stage as the registry lists it.
StageType mirrorType();

}  // namespace clipmill::stages::edit
