// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "retarget/rest_alignment.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// What a pose is mirrored by: the reflection that exchanges the sides, and a rest pose that it
/// leaves as it is.
struct MirrorFrame {
  RestPose rest;
  Mat3 reflection{1.0};  ///< See reflectionOfSides().
  /// Mean distance of joints at rest from the images of their counterparts, as a share of the root
  /// mean square of their distances from the middle: 0 where the rest pose is symmetric.
  double asymmetry = 0.0;
};

/// The rest pose is RestPose(scene). Where the file stores a frame of motion, the topmost joints
/// are in that frame, and so are controls that hang elsewhere: if the pose in which all skins were
/// bound, rotated so that its sides are level, is less than half as asymmetric, it is taken.
/// `counterparts`: see findCounterparts().
MirrorFrame mirrorFrameOf(const Scene& scene, std::span<const int> counterparts);

}  // namespace clipmill::retarget
