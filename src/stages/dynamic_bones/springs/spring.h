// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/settings.h"

/// A simulation with the same result at any frame rate. It evaluates the clip on a fixed grid of
/// 1/240 s (or 1/1200 s, or 1/120 s: grid_step.h) from the clip's start. Frames off the grid are
/// interpolated by a cubic through the positions on the grid; a clip that ends off the grid ends
/// with a shorter step.
///
/// Every simulated point is a damped spring (spring_step.h) towards where the animated pose,
/// carried by the simulated parent, puts it, under wind and gravity; then its bone's length is
/// restored, and limits and contacts are kept. With rest_includes_gravity, gravity is a = g - R_now
/// R_rest^-1 g: what the rest pose bears already, carried along with the bone, is taken off, so
/// that a standing character's hair does not sag, but a lying one's falls.
///
/// Start: in the clip's own pose and velocity, moved out of solids; or after a pre-roll on the held
/// first pose; or at the end of another clip's bake. A cycle is simulated until its end meets its
/// start; the remaining error is distributed over the cycle. If several bones start at a joint, it
/// rotates by the mean of the arcs of these bones. Smoothing acts on the rotation relative to the
/// base rotation and is fed back into the simulation; the weight only blends the written frames.
namespace clipmill::stages::dynamic_bones {

/// Where the ends of the bones were when another clip ended, and a step before that; metric world
/// space, one a bone; not finite if that clip does not have the bone. Empty without such a clip.
struct PriorEnds {
  std::vector<Vec3> ends, ends_before;
};

/// Writes the local rotations of the rig's joints (and, where bones stretch, the translations of
/// their ends) into the frames of `out`; `clip` is the motion as it was, `out` a copy of it or
/// `clip` itself. `step_s`: the grid step (gridStep_s()); other values are for measuring the
/// accuracy. Chains that do not act on each other may run on up to `threads` threads; that changes
/// no bit of the result.
SimulationCounts simulateSpring(const Rig& rig, const DynamicBonesSettings& settings,
                                const Scene& scene, const Motion& clip, const PriorEnds& prior,
                                double step_s, Motion& out, int threads = 1);

}  // namespace clipmill::stages::dynamic_bones
