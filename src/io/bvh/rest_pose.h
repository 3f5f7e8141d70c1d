// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "humanoid/humanoid.h"
#include "io/bvh/file_motion.h"
#include "scene/scene.h"

/// Rest poses of humans, for files whose zero rotations are none.
namespace clipmill::io::bvh {

/// Whether a human is found in the rest pose, with an upright trunk.
bool hasHumanRest(const Scene& scene);

/// The roles of the joints, by the pose of the clip in which they are most certain. None where no
/// pose has a human.
std::optional<humanoid::HumanoidMap> rolesOf(const Scene& scene, const FileMotion& motion);

/// Whether the trunk is along z in the mean of the clip. `scene` is read as y up.
bool isTrunkAlongZ(const Scene& scene, const FileMotion& motion, const humanoid::HumanoidMap& map);

/// Makes the rest pose the frame that is most like a T, A or I pose, above the origin, rotated
/// about the vertical so that it faces along z: directions of the motion in the world stay. Unless
/// that frame is clearly a rest pose (restPoseDoubt() up to 0.5), its trunk is made upright, and
/// RestShape is applied. The keys are not changed. Warning: bvh_rest_pose.
void setRestFromMotion(const FileMotion& motion, const humanoid::HumanoidMap& map,
                       const std::string& location, Scene& scene);

}  // namespace clipmill::io::bvh
