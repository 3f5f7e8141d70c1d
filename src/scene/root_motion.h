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

namespace clipmill {

/// The turn of a node about the vertical at each frame, away from its rest pose by the twist of its
/// swing-twist decomposition, unrolled: whole turns count.
std::vector<double> headingsOf(const Scene& scene, const Motion& motion, int node);

/// Means of `values` over `width_s` under a raised cosine. Beyond its ends the track is mirrored
/// about its end values, which therefore stay. One value a time of `grid`.
std::vector<Vec3> smoothed(const std::vector<Vec3>& values, const TimeGrid& grid, double width_s);

/// Takes the way along the ground from `node` and all `followers`, which stay where they are at the
/// first frame; with `smooth_s` above 0 only the mean over so much time, so that sway is left.
void makeInPlace(const Scene& scene, int node, const std::vector<int>& followers, double smooth_s,
                 Motion& motion, Warnings& warnings);

/// The node that takes over root motion from `hips`: the nearest joint of a skin above it, else the
/// topmost node above it. Error: kRecipe for hips without a node above them.
Result<int> rootAbove(const Scene& scene, int hips);

/// A node that has the way, and the one above it that is to have it.
struct RootWay {
  int hips = 0, root = 0;
};

/// The nodes that extractRoot() works on, by names as in findOneNode(): `hips_name` empty for the
/// one that findCarrier() finds, `root_name` empty for rootAbove(). Errors: theirs; kRecipe where
/// the one is not below the other.
Result<RootWay> findRootWay(const Scene& scene, const Motion& motion, const std::string& hips_name,
                            const std::string& root_name, double still_m);

/// Hands the way of `hips` along the ground, and with `yaw` its turn about the vertical, to `root`
/// above it: root stands and turns as hips did, and what hangs on the way between them (hips
/// itself, other branches with joints or keys) is put where it was in the world at every frame.
/// With `smooth_s` above 0 root takes means over so much time. Warning: extract_under_uneven_scale.
void extractRoot(const Scene& scene, int hips, int root, bool yaw, double smooth_s, Motion& motion,
                 Warnings& warnings);

}  // namespace clipmill
