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

/// The simulation that gives the same motion at any frame rate: a fixed grid of 1/240 s (or 1/1200
/// s) from the clip's begin, on which the clip itself is evaluated. Frames off the grid are read
/// from a cubic through the grid's positions; a clip that ends off the grid ends with a shorter
/// step.
///
/// Every simulated point is a damped spring (spring_step.h) towards where the animated pose,
/// carried by the simulated parent, puts it, under wind and gravity; then its bone's length is
/// restored, and limits and contacts are kept. With rest_hangs, gravity is a = g - R_now R_rest^-1
/// g: what the rest pose bears already, carried along with the bone, is taken off, so that a
/// standing character's hair does not sag, but a lying one's falls.
///
/// Readings: the state starts in the clip's own pose, out of what solids that has bones in, with
/// the clip's own velocity; after a pre-roll on the held first pose; or where another clip's bake
/// ended. A cycle is simulated until its end meets its begin; what is left then is spread over it.
/// Where several bones leave a joint, it turns by the mean of the arcs that they want. Smoothing
/// acts on the turn away from the base rotation and is fed back; the weight is not: it blends what
/// is written.
namespace clipmill::bones {

inline constexpr double kGridStep_s = 1.0 / 240.0;
inline constexpr double kFineGridStep_s = 1.0 / 1200.0;

/// Where the ends of the bones were when another clip ended, and a step before that; metric world
/// space, one a bone, not finite where that clip does not know the bone. Empty for no such clip.
struct PriorEnds {
  std::vector<Vec3> ends, ends_before;
};

/// Writes the local rotations of the rig's joints (and, where bones stretch, the translations of
/// their ends) into the frames of `out`; `clip` is the motion as it was, `out` a copy of it or
/// `clip` itself.
/// `step_s`: of the grid; another one than the standard ones serves to measure how exact that is.
SimulationCounts simulateSpring(const Rig& rig, const DynamicBonesSettings& settings,
                                const Scene& scene, const Motion& clip, const PriorEnds& prior,
                                double step_s, Motion& out);

/// The grid step that a quality stands for.
double gridStep_s(GridQuality quality);

}  // namespace clipmill::bones
