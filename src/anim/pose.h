// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/skeleton.h"
#include "core/math.h"

namespace clipmill {

/// Where a pose is written: one local Transform a node, and all morph weights.
struct PoseView {
  std::span<Transform> locals;
  std::span<double> weights;
};

/// The state of all nodes at one time.
struct Pose {
  std::vector<Transform> locals;
  std::vector<double> weights;

  PoseView view() { return {locals, weights}; }
};

/// The pose of the file without animation.
Pose restPose(const Skeleton& skeleton);

/// True where every node inherits all scales, so that worlds are plain products of locals.
bool inheritsAll(const Skeleton& skeleton);

/// Forward kinematics: world_from_node of every node, parents first, as Node::inherit asks.
/// `world_from_file` applies above the roots; identity for poses in file space. `worlds` is resized
/// to the number of nodes.
void computeWorlds(const Skeleton& skeleton, std::span<const Transform> locals,
                   const Affine& world_from_file, std::vector<Affine>& worlds);

}  // namespace clipmill
