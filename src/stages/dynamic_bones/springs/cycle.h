// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/carrier.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

/// Clips that are cycles: whose end, played on, is their begin.
namespace clipmill::bones {

/// For a cycle, the map from the figure's place at the end of the clip to that at its begin: a way
/// over the ground and a turn about the up axis. With LoopPolicy::kAuto a clip is a cycle where the
/// nodes that carry chains and colliders end in the places relative to each other in which they
/// begin, and go on as they began, nearly as fast or with no sharper change of velocity than there
/// is inside the clip: a figure that stands still at both ends does not count.
std::optional<Carry> findCycle(const Rig& rig, const DynamicBonesSettings& settings,
                               const Scene& scene, const Motion& clip);

/// Cycles that a chain's damping lets expect until what is left of the start is below
/// `tolerance_deg`: exp(-c T / 2) a cycle of T (the slowest bone counts). 0 for no damping.
int predictCycles(const Rig& rig, const DynamicBonesSettings& settings, double cycle_s);

/// The largest turn of a joint that is left between the end of a baked cycle and its begin, away
/// from `clip`.
double seamOf_deg(const Rig& rig, const Motion& clip, const Motion& motion);

/// How each joint turns away from `clip` from the first frame to the second, degrees a second. What
/// differs between one cycle and the next is the jump of speed at the seam.
std::vector<Vec3> leavingSpeeds_degps(const Rig& rig, const Motion& clip, const Motion& motion);

/// Spreads what is left over the cycle, so that its last frame is the first one: every turn is
/// turned on by a share that grows from 0 to 1 along 3 s^2 - 2 s^3, which leaves the speeds at both
/// ends alone.
void closeSeam(const Rig& rig, const Motion& clip, Motion& motion);

}  // namespace clipmill::bones
