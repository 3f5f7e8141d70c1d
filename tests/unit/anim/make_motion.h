// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "anim/motion.h"
#include "anim/skeleton.h"
#include "core/to_size.h"

namespace clipmill::test {

/// A chain of joints along y, `bone` apart; the first is at the origin.
inline Skeleton makeChain(int joints, double bone = 1.0) {
  Skeleton skeleton;
  for (int i = 0; i < joints; ++i) {
    Node node;
    node.name = "joint" + std::to_string(i);
    node.parent = i - 1;
    node.source_id = i;
    if (i > 0) node.rest.translation = Vec3(0, bone, 0);
    skeleton.nodes.push_back(node);
  }
  return skeleton;
}

/// The rest pose at every frame, nothing modified, no source.
inline Motion makeMotion(const Skeleton& skeleton, std::size_t frames, double fps = 30.0) {
  Motion motion;
  motion.grid = makeGrid(0.0, static_cast<double>(frames - 1) / fps, fps);
  motion.node_count = skeleton.size();
  motion.weight_count = skeleton.rest_weights.size();
  motion.modified = TrackMask(skeleton.size());
  const Pose rest = restPose(skeleton);
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    motion.locals.insert(motion.locals.end(), rest.locals.begin(), rest.locals.end());
    motion.weights.insert(motion.weights.end(), rest.weights.begin(), rest.weights.end());
  }
  return motion;
}

/// The local transform of one node at one frame.
inline Transform& localAt(Motion& motion, std::size_t frame, int node) {
  return motion.locals[frame * motion.node_count + toSize(node)];
}

}  // namespace clipmill::test
