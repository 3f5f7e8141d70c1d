// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/settings.h"

/// The published method (docs/methods.md, dynamic bones), one step per frame of the clip. Where the
/// source is not specific, this implementation does the following:
/// - Frame 0 is the clip's own pose, at rest: the position before it is the same.
/// - A chain's first joint keeps the position of the clip; its rotation aims its bones.
/// - dt is the time between the two frames; drag r counts per frame, whatever the frame rate,
///   unless drag_fps gives the frame rate at which it was tuned.
/// - The component of gravity along the bone is removed with the bone of the current frame, u =
///   joint - parent, both at their positions before the step.
/// - A bone's length is the clip's own at the next frame, under the parent's simulated pose.
/// - Colliders push a joint out one after the other; the length is restored after each.
/// - The rotation of the parent is the shortest arc, in the parent's frame, from where the
///   hierarchy carries the child (the parent at its next position, with the local rotation it had
///   in the current frame) to the corrected position.
/// - A joint with several bones rotates by the mean of the arcs of these bones.
/// - Twist is measured against the clip's local rotation of that frame, about the bone (at a fork:
///   about the sum of its bones), and removed by swing-twist decomposition.
/// - After smoothing, a joint is at the position that the hierarchy gives it; the next step starts
///   there.
namespace clipmill::stages::dynamic_bones {

/// Part of `gravity` that is normal to `bone`: g - (g . u) u / |u|^2; all of it for a bone of no
/// length.
Vec3 gravityAcross(const Vec3& gravity, const Vec3& bone);

/// pos + (pos - before)(1 - drag) + acceleration dt^2, metres and seconds, drag in 0..1 per step.
Vec3 verletStep(const Vec3& position, const Vec3& before, double drag, const Vec3& acceleration,
                double dt_s);

/// The same for a step of any length, with drag tuned for steps of 1/`drag_fps` s: pos + e (pos -
/// before) + dt (1 - e) / (drag_fps drag) acceleration with e = (1 - drag)^(drag_fps dt). At dt =
/// 1/drag_fps it equals verletStep; terminal speeds are the same at any rate.
Vec3 rateFreeStep(const Vec3& position, const Vec3& before, double drag, const Vec3& acceleration,
                  double dt_s, double drag_fps);

/// `rotation` without the twist of its difference from `animated` about `axis` (a vector in the
/// axes in which both rotations act, of any length; for zero, all of it is kept).
Quat withoutTwist(const Quat& rotation, const Quat& animated, const Vec3& axis);

/// Writes the local rotations of the rig's joints into all frames of `out` except the first. `clip`
/// is the input motion; `out` is a copy of it or `clip` itself.
SimulationCounts simulateReference(const Rig& rig, const DynamicBonesSettings& settings,
                                   const Affine& metric_from_file, const Motion& clip, Motion& out);

}  // namespace clipmill::stages::dynamic_bones
