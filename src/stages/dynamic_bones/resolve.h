// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/stage.h"

namespace clipmill {

/// The settings with all that they leave to be found in a scene written out: where they name no
/// chain, those of the file's own springs; with find_chains, hair, skirts, tails and the like among
/// the nodes; with ColliderSource::kAuto, solids fitted to the skin. Nothing for the methods vrm1
/// and vrm0. Errors: those of addFileSprings.
Result<ResolvedSettings> resolveDynamicBones(const Scene& scene, std::span<const Motion> motions,
                                             const DynamicBonesSettings& settings);

}  // namespace clipmill
