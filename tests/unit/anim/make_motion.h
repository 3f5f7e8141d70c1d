// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <initializer_list>
#include <random>
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

/// Numbers within plus or minus an amount, at random.
struct MotionNoise {
  std::mt19937 random;
  double operator()(double amount) {
    return amount * (static_cast<double>(random()) / 4294967295.0 * 2.0 - 1.0);
  }
  Vec3 vec(double amount) {
    const double x = (*this)(amount), y = (*this)(amount);
    return Vec3(x, y, (*this)(amount));
  }
  Quat rotation(double angle) {
    const Vec3 axis = vec(1.0) + Vec3(1e-3, 0, 0);
    return rotationAbout(axis / std::sqrt(glm::dot(axis, axis)), (*this)(angle));
  }
};

/// Marks these properties of all nodes as modified.
inline void setAllModified(Motion& motion, std::initializer_list<TrackPath> paths) {
  for (int node = 0; node < static_cast<int>(motion.node_count); ++node) {
    for (TrackPath path : paths) motion.modified.set(node, path);
  }
}

/// Every joint swings smoothly about an axis of its own, with some noise on top.
inline Motion makeSwing(const Skeleton& skeleton, std::size_t frames, double noise, unsigned seed) {
  Motion motion = makeMotion(skeleton, frames);
  MotionNoise random{std::mt19937(seed)};
  for (int node = 0; node < static_cast<int>(skeleton.size()); ++node) {
    const Vec3 axis = node % 2 ? Vec3(0, 0, 1) : Vec3(0.6, 0, 0.8);
    for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
      const double angle = 0.4 * std::sin(0.07 * static_cast<double>(frame) + node);
      localAt(motion, frame, node).rotation =
          normalizedOrIdentity(rotationAbout(axis, angle) * random.rotation(noise));
    }
  }
  setAllModified(motion, {TrackPath::kRotation});
  return motion;
}

/// The first joint jumps to and fro and the second one rotates, every 13 of 90 frames.
inline Motion makeJumps(const Skeleton& skeleton) {
  Motion motion = makeMotion(skeleton, 90);
  for (std::size_t frame = 0; frame < 90; ++frame) {
    const double side = (frame / 13) % 2 ? 1.0 : -1.0;
    localAt(motion, frame, 0).translation = Vec3(5.0 * side, 0, 0);
    localAt(motion, frame, 1).rotation = rotationAbout(Vec3(0, 0, 1), 1.5 * side);
  }
  return motion;
}

}  // namespace clipmill::test
