// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rods/rod_body.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

/// Rods from the bones of a rig: mass, stiffness, damping and rest moments.
namespace clipmill::stages::dynamic_bones {

/// Makes one tree of every topmost joint of a chain. Mass per length is thickness^2, and flexural
/// rigidity is stiffness * thickness^4 (a solid round rod) times the value that gives the tree its
/// droop_deg or frequency_hz. A joint's spring is the rigidity over the mean of the half bones at
/// it; over half a bone where the rod is clamped. damping_ratio is that of the first mode
/// of the tree that hangs at rest.
///
/// Rest moments bear the weight in the bind pose, with what carries the chain as in the bind pose
/// too (sag-free: Hsu et al. 2022), so that nothing sags. A tree that would buckle under its weight
/// in that pose is stiffened to 1.5 times the least stable rigidity.
RodSystem makeRods(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                   const SpringLayout& layout);

/// Takes over rotations and bone directions of a pose. `locals`: all nodes of the skeleton.
void takePose(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
              std::span<const Transform> locals, RodSystem& system);

}  // namespace clipmill::stages::dynamic_bones
