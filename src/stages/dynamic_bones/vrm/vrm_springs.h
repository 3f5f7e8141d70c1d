// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/vrm/vrm_rig.h"

/// The springs of VRM files as their specification moves them (VRMC_springBone 1.0, with
/// VRMC_springBone_extended_collider and the draft VRMC_springBone_limit; VRM 0.x runs on the same
/// step):
///
///   next = tail + (tail - before) (1 - drag) + (stiffness rest + gravity_power gravity_dir) h
///
/// with `rest` the bone's direction at rest, carried by the simulated parent; then the bone's
/// length in the rest pose is restored, the limit kept, and every collider in turn pushes the tail
/// out, each time followed by length and limit. What the specification leaves open is read so:
/// - The specification steps once a drawn frame, and its motion depends on how fast they are drawn.
///   Here it steps 60 times a second from the clip's begin, whatever the clip's rate, so a clip of
///   60 frames a second gets one step a frame. Frames between two steps get the local rotations
///   between theirs (slerp). A clip that ends between two steps ends with a shorter one, in which
///   1 - drag is raised to the power of its share and displacements by forces are shortened to
///   match: h (1 - e) / drag with e = (1 - drag)^(60 h).
/// - The first frame is the initial state: joints at their rest rotation in the clip's first pose,
///   at rest. Keys on the rotations of spring joints are ignored.
/// - Positions of joints, and what carries them, are those of the clip, and a joint turns about
///   where it is (as in UniVRM; the pseudocode takes the place of the rest pose, which is the same
///   unless the clip moves the joint itself). Radii are metres, not scaled by the nodes; lengths
///   are.
/// - Capsules: the point of the axis nearest to the tail counts.
/// - The tail and the one before it are kept in center space and both seen through the center's
///   place now; colliders of a chain are ordered as its groups list them.
/// - A tail on its own head goes to the rest direction. A joint without a bone keeps its rest.
namespace clipmill::bones {

/// Steps a second of the fixed grid.
inline constexpr double kVrmSteps_hz = 60.0;

/// Writes the local rotations of the rig's joints into all frames of `out` and marks them as
/// touched; `clip` is the motion as it was, `out` a copy of it or `clip` itself. The rig is of the
/// same scene.
SimulationCounts simulateVrm(const VrmRig& rig, const Scene& scene, const Motion& clip,
                             Motion& out);

}  // namespace clipmill::bones
