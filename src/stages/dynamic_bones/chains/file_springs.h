// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill {

/// Adds the springs that the scene carries as chains and colliders for the methods spring and rope:
/// those of VRM files, and those that nodes carry as extras.dynbone. Existing chains stay. Returns
/// notes for people, one line each; none where the scene carries no springs.
///
/// VRM moves the end of a bone by stiffness/60 m along its rest direction, and by gravity_power/60
/// m along gravity_dir, in each of 60 steps a second, and restores its length. For small turns that
/// is bones::StepwiseSpring with the relaxation (s/60)/(L + s/60) for a bone of length L, which
/// gives frequency, damping, drag and gravity of each bone; for a weak pull the acceleration is
/// 60 s m/s^2 along the rest direction, and the angular frequency sqrt(60 s/L).
///
/// Errors: kRecipe for a key or value of extras.dynbone that the settings do not know, kLimit where
/// chains and colliders together make more links than a recipe can hold.
Result<std::vector<std::string>> addFileSprings(const Scene& scene, DynamicBonesSettings& settings);

}  // namespace clipmill
