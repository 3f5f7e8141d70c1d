// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// Adds the springs of the scene as chains and colliders for the method spring: those of
/// VRM files, and those of extras.dynbone on nodes. Existing chains are kept. Returns notes for
/// users, one line each; none where the scene has no springs.
///
/// VRM moves the end of a bone by stiffness/60 m along its rest direction, and by gravity_power/60
/// m along gravity_dir, in each of 60 steps per second, and restores its length. For small angles
/// that is StepwiseSpring with the relaxation (s/60)/(L + s/60) for a bone of length L,
/// which gives frequency, damping, drag and gravity of each bone; for a weak pull the acceleration
/// is 60 s m/s^2 along the rest direction, and the angular frequency sqrt(60 s/L).
///
/// Errors: kRecipe for an unknown key or an invalid value in extras.dynbone, kLimit where chains
/// have more references to colliders than a recipe can hold.
Result<std::vector<std::string>> addFileSprings(const Scene& scene, DynamicBonesSettings& settings);

}  // namespace clipmill::stages::dynamic_bones
