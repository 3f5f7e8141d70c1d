// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "io/bvh/file_motion.h"
#include "scene/scene.h"

namespace clipmill::io::bvh {

/// Sets what a BVH file does not store, each with a warning: its unit of length (bvh_unit), z as
/// its up axis (bvh_up_axis), and a rest pose (bvh_rest_pose).
///
/// BVH defines the pose of zero rotations as rest pose. It is kept where it is a pose of a human
/// with an upright trunk, and where no human is found in any frame. In other files the axes of
/// joints lie along their bones, and at zero rotations all bones have one direction:
/// setRestFromMotion().
///
/// `scene`: skeleton with the offsets as rest pose; `name` is the location of the warnings.
void setSpaceAndRest(const FileMotion& motion, const std::string& name, Scene& scene);

}  // namespace clipmill::io::bvh
