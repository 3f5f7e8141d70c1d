// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

/// Yaw of a node at each frame relative to its rest pose: the twist of its swing-twist
/// decomposition, unwrapped.
std::vector<double> headingsOf(const Scene& scene, const Motion& motion, int node);

/// Means of `values` over `width_s` under a raised cosine. Beyond its ends the track is mirrored
/// about its end values, which therefore stay. One value a time of `grid`.
std::vector<Vec3> smoothed(const std::vector<Vec3>& values, const TimeGrid& grid, double width_s);

/// Removes the motion along the ground of `node` and all `followers`, which keep their position at
/// the first frame; with `smooth_s` above 0 only the mean over that time, so that sway is left.
void makeInPlace(const Scene& scene, int node, const std::vector<int>& followers, double smooth_s,
                 Motion& motion, Warnings& warnings);

/// The node that receives root motion from `hips`: the nearest joint of a skin above it, else the
/// topmost node above it. Error: kRecipe for hips without a node above them.
Result<int> rootAbove(const Scene& scene, int hips);

/// A joint that has root motion, and the one above it that receives it.
struct RootTrajectory {
  int hips = 0, root = 0;
};

/// The nodes that extractRoot() works on, by names as in findOneNode(): `hips_name` empty for the
/// one that findRootMotionJoint() finds, `root_name` empty for rootAbove(). Errors: theirs; kRecipe
/// where the one is not below the other.
Result<RootTrajectory> findRootTrajectory(const Scene& scene, const Motion& motion,
                                          const std::string& hips_name,
                                          const std::string& root_name, double still_m);

/// Moves the motion of `hips` along the ground, and with `yaw` its rotation about the vertical, to
/// `root` above it. The branches between them (hips itself, other branches with joints or keys)
/// keep their world transforms at every frame. With `smooth_s` above 0 root receives means over
/// that time. Warning: extract_under_nonuniform_scale.
void extractRoot(const Scene& scene, int hips, int root, bool yaw, double smooth_s, Motion& motion,
                 Warnings& warnings);

}  // namespace clipmill::locomotion
