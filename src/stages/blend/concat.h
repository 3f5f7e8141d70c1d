// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "stages/blend/settings.h"
#include "stages/stage.h"

namespace clipmill {

/// Clips one after another.
struct ConcatSettings {
  std::vector<BlendClip> with;
  BlendRoot root_motion = BlendRoot::kVelocity;
  std::string root;  ///< Empty: found.
};

const SettingsTable& concatTable();

/// Appends the other clips of the settings to each motion. Every one begins at the instant at which
/// the one before it ends, and where its figure stood and looked then (alignParts()), unless root
/// motion is taken by places. The frames of the clip itself stay, bit for bit; the result has its
/// rate. Metrics: duration_s, joint_deg and joint_mm: the largest turn and step between the poses
/// that meet, root motion apart. Errors: as for runBlend().
Result<std::vector<StageResult>> runConcat(const StageInput& input, const ConcatSettings& settings);

}  // namespace clipmill
