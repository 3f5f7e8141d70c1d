// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"

namespace clipmill {

/// Positions of a few nodes of a motion, frame by frame or at any time. Only they and the nodes
/// above them are computed.
class PartialPose {
 public:
  /// `scene` and `motion` must outlive it.
  PartialPose(const Scene& scene, const Motion& motion, std::span<const int> nodes);

  /// The pose of the motion at that time, exact between frames where the motion is its source.
  void seekTime(double time_s);
  void seekFrame(std::size_t frame);
  void seekRest();

  /// Metric world from the space of nodes[i]. Valid until the next seek.
  const Affine& worldOf(std::size_t i) const { return worlds_[wanted_[i]]; }
  /// Metric world from the space of the parent of nodes[i]; from the file's for a root.
  const Affine& parentOf(std::size_t i) const;

 private:
  void compute(std::span<const Transform> all_locals);

  const Scene& scene_;
  const Motion& motion_;
  std::vector<std::size_t> originals_;  // index in Scene::skeleton of each node of chain_
  std::vector<std::size_t> wanted_;     // index in chain_ of each node that was asked for
  MotionCursor cursor_;
  Skeleton chain_;
  std::vector<Transform> locals_;
  std::vector<Affine> worlds_;
};

/// Where a node is at every frame, metric world.
std::vector<Vec3> positionsOf(const Scene& scene, const Motion& motion, int node);

}  // namespace clipmill
