// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "stages/dynamic_bones/rig.h"
#include "stages/dynamic_bones/rig_pose.h"
#include "stages/dynamic_bones/settings.h"

/// The simulation that gives the same motion at any frame rate: a fixed grid of 1/240 s from the
/// clip's begin, on which the clip itself is evaluated. Frames off the grid are read from a cubic
/// through the grid's positions; a clip that ends off the grid ends with a shorter step.
///
/// Every simulated point is a damped spring (spring_step.h) towards where the animated pose,
/// carried by the simulated parent, puts it, under wind and gravity; then its bone's length is
/// restored and colliders are avoided. With rest_hangs, gravity is a = g - R_now R_rest^-1 g: what
/// the rest pose bears already, carried along with the bone, is taken off, so that a standing
/// character's hair does not sag, but a lying one's falls.
///
/// Readings: the state starts in the clip's own pose with the clip's own velocity. Where several
/// bones leave a joint, it turns by the mean of the arcs that they want. Smoothing acts on the turn
/// away from the animated pose and is fed back. A joint's roll about its bone is that of the clip.
namespace clipmill::bones {

inline constexpr double kGridStep_s = 1.0 / 240.0;

/// Writes the local rotations of the rig's joints into all frames of `out` but the first; `clip` is
/// the motion as it was, `out` a copy of it.
/// Another step of the grid than the standard one serves to measure how exact that is.
SimulationCounts simulateSpring(const Rig& rig, const DynamicBonesSettings& settings,
                                const Skeleton& skeleton, const Affine& metric_from_file,
                                const Motion& clip, Motion& out, double step_s = kGridStep_s);

}  // namespace clipmill::bones
