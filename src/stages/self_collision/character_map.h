// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/result.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"
#include "stages/self_collision/settings.h"

namespace clipmill::stages::self_collision {

/// The humanoid map of a scene, with the roles that the settings assign. Errors: those of
/// humanoidFromPairs(); kUnsupported, with the map that was found and a remedy, if there is no
/// humanoid or its confidence is below SelfCollisionSettings::min_confidence.
Result<humanoid::HumanoidMap> chooseCharacter(const Scene& scene,
                                              const SelfCollisionSettings& settings);

/// Log text: "humanoid by names, 22 roles, confidence 1.00".
std::string characterNote(const humanoid::HumanoidMap& map);

}  // namespace clipmill::stages::self_collision
