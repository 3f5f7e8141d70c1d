// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/body_frame.h"

#include <cmath>

#include "core/to_size.h"

namespace clipmill::stages::self_collision {

AttachedAxes::AttachedAxes(const humanoid::BodyAxes& axes, int node, std::span<const Affine> worlds)
    : node_(node) {
  const Mat3 node_from_world = glm::inverse(worlds[toSize(node)].linear);
  lateral_ = node_from_world * axes.lateral;
  up_ = node_from_world * axes.up;
}

std::optional<humanoid::BodyAxes> AttachedAxes::at(std::span<const Affine> worlds) const {
  const Mat3& world_from_node = worlds[toSize(node_)].linear;
  const Vec3 lateral = world_from_node * lateral_, up = world_from_node * up_;
  const double length = std::sqrt(glm::dot(lateral, lateral));
  humanoid::BodyAxes axes;
  axes.lateral = lateral / length;
  const Vec3 upright = up - axes.lateral * glm::dot(axes.lateral, up);
  axes.up = upright / std::sqrt(glm::dot(upright, upright));
  axes.forward = glm::cross(axes.lateral, axes.up);
  if (!isFinite(axes.forward)) return std::nullopt;
  return axes;
}

int chestOf(const humanoid::HumanoidMap& map) {
  for (humanoid::HumanoidRole role :
       {humanoid::HumanoidRole::kUpperChest, humanoid::HumanoidRole::kChest,
        humanoid::HumanoidRole::kSpine, humanoid::HumanoidRole::kHips}) {
    if (map[role] >= 0) return map[role];
  }
  return -1;
}

}  // namespace clipmill::stages::self_collision
