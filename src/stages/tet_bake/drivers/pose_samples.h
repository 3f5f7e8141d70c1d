// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/drivers/region_joints.h"

/// Poses between and around those of clips.
namespace clipmill::stages::tet_bake {

/// Clips with an even and with an odd number. Each half of the samples takes its rotations from
/// one half of the clips, so that the other half is unknown to it.
inline constexpr std::size_t kClipHalves = 2;

struct SampleOptions {
  std::size_t count = 0;
  double variation_rad = 0.0;  ///< Largest angle between a rotation and that of the clip.
};

/// A motion of `count` poses, frame f from the clips whose number is f modulo kClipHalves (from all
/// clips, if there is one alone). Each node of `joints` (ascending) has its rotation, relative to
/// the bind pose, in some frame of these clips, or mirrored that of its counterpart on the other
/// side of the character; every second joint on average that in the same frame as the joint above
/// it. Each is rotated once more about any axis by an angle up to `variation_rad`. All other nodes
/// are as in the bind pose. The frames are independent of each other, and far apart in time.
Motion samplePoses(const Scene& scene, const BindRotations& bind, std::span<const Motion> motions,
                   std::span<const int> joints, const SampleOptions& options);

}  // namespace clipmill::stages::tet_bake
