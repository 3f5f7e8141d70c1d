// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "locomotion/foot_lock.h"
#include "stages/blend/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::blend {

/// Clips one after another.
struct ConcatSettings : locomotion::FootLockSettings {
  std::vector<BlendClip> with;
  RootBlendMode root_blend = RootBlendMode::kVelocity;
  std::optional<std::string> root_joint;  ///< Unset: detected.
};

const SettingsTable& concatTable();

/// Appends the other clips of the settings to each motion. Every one starts at the instant at which
/// the one before it ends, with its position and heading (alignParts()), unless root positions are
/// kept. Feet are locked where they drift more than in the parts (holdFeet()); else the frames of
/// the clip itself stay, bit for bit. The result has its rate. Metrics: duration_s, seam_deg and
/// seam_mm: largest rotation and step between the poses that meet, without root motion. Errors: as
/// for runBlend().
Result<std::vector<StageResult>> runConcat(const StageInput& input, const ConcatSettings& settings);

/// The stage as the registry lists it.
StageType concatType();

}  // namespace clipmill::stages::blend
