// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

#include "humanoid/humanoid.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/foot_lock.h"
#include "scene/scene.h"
#include "stages/blend/root_blend.h"
#include "stages/stage.h"

namespace clipmill::stages::blend {

/// Adds foot_skate_cm and planted_drift_mm to the metrics of a result that is made of `parts`;
/// before: the largest of the parts. Warning feet_slide where planted feet drift by at least 5 mm
/// more than in each part. Nothing for a character that is no humanoid.
void reportFeet(const Scene& scene, const humanoid::HumanoidMap& humanoid,
                std::span<const Part> parts, StageResult& result);

/// Locks the feet of `result` where planted feet drift more than in its parts: each contact of the
/// result that overlaps `within` (all without it) gets one position. Then reportFeet(). Error,
/// kRecipe: FeetPolicy::kLock, and no legs or no contacts were found.
Status holdFeet(const Scene& scene, const humanoid::HumanoidMap& humanoid,
                std::span<const Part> parts, const locomotion::FootLockSettings& settings,
                const std::optional<locomotion::TimeSpan>& within, StageResult& result);

}  // namespace clipmill::stages::blend
