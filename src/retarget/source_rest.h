// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "core/warnings.h"
#include "humanoid/humanoid.h"
#include "retarget/rest_alignment.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// How far a pose is from one in which characters are modelled (T, A or I pose), relative to what
/// is usual: 1 or less is plausible. The largest of: tilt of the trunk over 20 degrees; tilt of
/// thighs and shins over 30; bend of the elbows over 35; upper arms that are no mirror images of
/// each other over 25. `worlds`: metric world_from_node.
double restPoseDoubt(const humanoid::HumanoidMap& map, std::span<const Affine> worlds);

/// The rest pose of the file of a clip: the pose in which its skin was bound; without a skin, the
/// pose that the file stores, if it is a plausible rest pose. Else the file stores a frame of
/// motion, and the most plausible frame of the clip is taken, rotated to the nearest of the four
/// directions along x and z, above the origin, with its feet on the floor; the warning
/// rest_pose_estimated names it.
RestPose sourceRestOf(const Scene& source, const Motion& motion, const humanoid::HumanoidMap& map,
                      Warnings& warnings);

}  // namespace clipmill::retarget
