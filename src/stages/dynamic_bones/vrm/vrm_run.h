// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::dynamic_bones {

/// True for the methods that read only the springs of the file.
inline bool isVrmMethod(DynamicBonesMethod method) {
  return method == DynamicBonesMethod::kVrm1 || method == DynamicBonesMethod::kVrm0;
}

/// Runs the stage with those methods: simulates Scene::springs on every motion (vrm_springs.h).
/// Chains, colliders and wind of the settings are not read.
///
/// Metrics of a clip: chains, joints, joint_steps. Warnings: those of makeVrmRig, joint_reset, and
/// chain_settings_ignored where the settings have chains or colliders, settings_ignored for others
/// that are not the defaults. Errors: kRecipe where the file has no springs of the method's
/// version.
Result<std::vector<StageResult>> runVrmSprings(const StageInput& input,
                                               const DynamicBonesSettings& settings);

}  // namespace clipmill::stages::dynamic_bones
