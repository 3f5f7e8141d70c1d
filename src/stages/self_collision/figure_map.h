// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/result.h"
#include "scene/humanoid.h"
#include "scene/scene.h"
#include "stages/self_collision/settings.h"

namespace clipmill::collision {

/// The human figure of a scene with the roles that the settings give. Errors: those of
/// humanoidFromPairs(); kUnsupported, with the map that was found and how to give another, where
/// there is no figure or it is less certain than SelfCollisionSettings::min_confidence.
Result<HumanoidMap> chooseFigure(const Scene& scene, const SelfCollisionSettings& settings);

/// For people: "human figure by names, 22 roles, confidence 1.00".
std::string figureNote(const HumanoidMap& map);

}  // namespace clipmill::collision
