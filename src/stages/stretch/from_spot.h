// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/warnings.h"
#include "humanoid/humanoid.h"
#include "scene/scene.h"
#include "stages/stretch/settings.h"

namespace clipmill::stages::stretch {

/// The settings for a clip that may walk on the spot (FeetTrace::treadmill_mps). Where it does, has
/// a distance, and StretchSettings::still allows it, it travels evenly, against the velocity of the
/// ground under it: the sway of its root (a node) changes neither speed nor direction. Otherwise
/// `settings`; warning on_the_spot where only `still` forbids it.
StretchSettings settingsFromSpot(const Scene& scene, const humanoid::HumanoidMap& map,
                                 const Motion& clip, int root, StretchSettings settings,
                                 Warnings& warnings);

}  // namespace clipmill::stages::stretch
