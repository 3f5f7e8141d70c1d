// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

#include "scene/humanoid.h"

namespace clipmill::collision {

/// The axes of a body as one of its nodes carries them from pose to pose. Neither the pose of the
/// limbs nor the axes of the file matter.
class CarriedAxes {
 public:
  /// `axes` are those of the body in the pose whose metric worlds are `worlds`.
  CarriedAxes(const BodyAxes& axes, int node, std::span<const Affine> worlds);

  /// The axes where the node is now; none where its map flattens or is no number.
  std::optional<BodyAxes> at(std::span<const Affine> worlds) const;

 private:
  int node_;
  Vec3 lateral_, up_;  // in the space of the node
};

/// The node that carries the upper body: upper chest, chest, spine or hips, the first that there
/// is; -1 for none.
int chestOf(const HumanoidMap& map);

}  // namespace clipmill::collision
