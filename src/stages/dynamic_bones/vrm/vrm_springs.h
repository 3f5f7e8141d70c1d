// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/vrm/vrm_rig.h"

/// The springs of VRM files as their specification simulates them (VRMC_springBone 1.0, with
/// VRMC_springBone_extended_collider and the draft VRMC_springBone_limit; VRM 0.x runs on the same
/// step):
///
///   next = tail + (tail - before) (1 - drag) + (stiffness rest + gravity_power gravity_dir) h
///
/// with `rest` the bone's rest direction under the simulated parent. Then the bone's length in the
/// rest pose is restored, the limit is applied, and the colliders push the tail out one after the
/// other, each followed by length and limit. Where the specification is not specific, this
/// implementation does the following:
/// - The specification steps once per rendered frame, and its motion depends on the frame rate.
/// Here
///   it steps 60 times per second from the clip's start at any frame rate, so a clip of 60 frames
///   per second gets one step per frame. Frames between two steps get the local rotations between
///   theirs (slerp). A clip that ends between two steps ends with a shorter one, in which 1 - drag
///   is raised to the power of its share and displacements by forces are shortened to match: h (1 -
///   e) / drag with e = (1 - drag)^(60 h).
/// - The first frame is the initial state: joints at their rest rotation in the clip's first pose,
///   at rest. Keys on the rotations of spring joints are ignored.
/// - Positions of joints, and the nodes above them, are those of the clip, and a joint rotates
/// about
///   its position in the clip (as in UniVRM; the pseudocode uses the position of the rest pose,
///   which is the same unless the clip moves the joint itself). Radii are metres, not scaled by the
///   nodes; lengths are.
/// - Capsules: the point of the axis nearest to the tail counts.
/// - The tail and the one before it are kept in center space and both transformed by the center's
///   current world transform; colliders of a chain are ordered as its groups list them.
/// - A tail on its own head is moved to the rest direction. A joint without a bone keeps its rest
///   rotation.
namespace clipmill::stages::dynamic_bones {

/// Step rate of the fixed grid.
inline constexpr double kVrmSteps_hz = 60.0;

/// Writes the local rotations of the rig's joints into all frames of `out` and marks them as
/// modified. `clip` is the input motion; `out` is a copy of it or `clip` itself. The rig is of the
/// same scene. For `preroll_s` before the clip its first pose is held, on a character that moves at
/// the clip's first horizontal velocity, so that joints settle.
SimulationCounts simulateVrm(const VrmRig& rig, const Scene& scene, const Motion& clip, Motion& out,
                             double preroll_s = 0.0);

}  // namespace clipmill::stages::dynamic_bones
