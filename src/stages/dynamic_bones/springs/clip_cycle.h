// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "anim/motion.h"
#include "locomotion/clip_cycle.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

/// Decides whether a clip is a cycle for the chains of a rig.
namespace clipmill::stages::dynamic_bones {

using locomotion::authoredRateOf;
using locomotion::Carry;
using locomotion::CycleDecision;

/// locomotion::judgeCycle() of all joints of the body (of skins; of a file without skins, all
/// nodes) that no chain moves.
CycleDecision judgeCycle(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                         const Motion& clip);

/// locomotion::findCycle() of these.
std::optional<Carry> findCycle(const Rig& rig, const DynamicBonesSettings& settings,
                               const Scene& scene, const Motion& clip);

}  // namespace clipmill::stages::dynamic_bones
