// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/settings.h"

/// The published method (SOURCES S0), step by step at the frames of the clip. Where it leaves room,
/// this is how it is read here:
/// - Frame 0 is the clip's own pose, at rest: the position before it is the same.
/// - A chain's first joint follows the clip in position; its rotation aims its bones.
/// - dt is the time between the two frames; drag r counts per frame, whatever the frame rate,
///   unless reference_hz gives the rate for which it is meant.
/// - Gravity's part along the bone is taken out with the bone of the current frame, u = joint -
///   parent, both where they are before the step.
/// - A bone's length is the clip's own at the next frame, under the parent's simulated pose.
/// - Each collider in turn pushes a joint out, and the length is restored before the next one.
/// - The rotation of the parent is the shortest arc, in the parent's frame, from where the
///   hierarchy carries the child (the parent at its next position, with the local rotation it had
///   in the current frame) to the corrected position.
/// - Where several bones leave a joint, it turns by the mean of the arcs that they want.
/// - Twist is measured against the clip's local rotation of that frame, about the bone (at a fork:
///   about the sum of its bones), and removed by swing-twist decomposition.
/// - After smoothing, a joint is where the hierarchy puts it, and goes on from there.
namespace clipmill::bones {

/// Part of `gravity` that is normal to `bone`: g - (g . u) u / |u|^2; all of it for a bone of no
/// length.
Vec3 gravityAcross(const Vec3& gravity, const Vec3& bone);

/// pos + (pos - before)(1 - drag) + acceleration dt^2, metres and seconds, drag in 0..1 per step.
Vec3 verletStep(const Vec3& position, const Vec3& before, double drag, const Vec3& acceleration,
                double dt_s);

/// The same with drag meant for steps of 1/`reference_hz` s, for a step of any length: pos + e (pos
/// - before) + dt (1 - e) / (reference_hz drag) acceleration with e = (1 - drag)^(reference_hz dt).
/// At dt = 1/reference_hz it is verletStep; terminal speeds are the same at any rate.
Vec3 rateFreeStep(const Vec3& position, const Vec3& before, double drag, const Vec3& acceleration,
                  double dt_s, double reference_hz);

/// `rotation` without the part of its turn away from `animated` that is about `axis` (a vector in
/// the axes in which both rotations act, of any length; zero keeps all).
Quat withoutTwist(const Quat& rotation, const Quat& animated, const Vec3& axis);

/// Writes the local rotations of the rig's joints into all frames of `out` but the first; `clip` is
/// the motion as it was, `out` a copy of it or `clip` itself.
SimulationCounts simulateReference(const Rig& rig, const DynamicBonesSettings& settings,
                                   const Affine& metric_from_file, const Motion& clip, Motion& out);

}  // namespace clipmill::bones
