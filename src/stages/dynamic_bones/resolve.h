// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::dynamic_bones {

/// The settings with what a scene adds to them: the file's own springs where they name no chain;
/// hair, skirts, tails and similar chains with find_chains; solids fitted to the skin with
/// ColliderSource::kAuto. The methods vrm1 and vrm0 add nothing. Errors: those of addFileSprings.
Result<ResolvedSettings> resolveDynamicBones(const Scene& scene, std::span<const Motion> motions,
                                             const DynamicBonesSettings& settings);

}  // namespace clipmill::stages::dynamic_bones
