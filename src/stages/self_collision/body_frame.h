// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

#include "humanoid/humanoid.h"

namespace clipmill::stages::self_collision {

/// The axes of a body, attached to one of its nodes, so that they follow the pose. They depend
/// neither on the pose of the limbs nor on the axes of the file.
class AttachedAxes {
 public:
  /// `axes` are those of the body in the pose whose metric worlds are `worlds`.
  AttachedAxes(const humanoid::BodyAxes& axes, int node, std::span<const Affine> worlds);

  /// The axes in a pose; none where the transform of the node is degenerate, NaN or infinite.
  std::optional<humanoid::BodyAxes> at(std::span<const Affine> worlds) const;

 private:
  int node_;
  Vec3 lateral_, up_;  // in the space of the node
};

/// The node of the upper body: upper chest, chest, spine or hips, the first that exists; -1 for
/// none.
int chestOf(const humanoid::HumanoidMap& map);

}  // namespace clipmill::stages::self_collision
