// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/body_frame.h"

#include <cmath>

namespace clipmill::collision {

CarriedAxes::CarriedAxes(const BodyAxes& axes, int node, std::span<const Affine> worlds)
    : node_(node) {
  const Mat3 node_from_world = glm::inverse(worlds[static_cast<std::size_t>(node)].linear);
  lateral_ = node_from_world * axes.lateral;
  up_ = node_from_world * axes.up;
}

std::optional<BodyAxes> CarriedAxes::at(std::span<const Affine> worlds) const {
  const Mat3& world_from_node = worlds[static_cast<std::size_t>(node_)].linear;
  const Vec3 lateral = world_from_node * lateral_, up = world_from_node * up_;
  const double length = std::sqrt(glm::dot(lateral, lateral));
  BodyAxes axes;
  axes.lateral = lateral / length;
  const Vec3 upright = up - axes.lateral * glm::dot(axes.lateral, up);
  axes.up = upright / std::sqrt(glm::dot(upright, upright));
  axes.forward = glm::cross(axes.lateral, axes.up);
  if (!isFinite(axes.forward)) return std::nullopt;
  return axes;
}

int chestOf(const HumanoidMap& map) {
  for (HumanoidRole role : {HumanoidRole::kUpperChest, HumanoidRole::kChest, HumanoidRole::kSpine,
                            HumanoidRole::kHips}) {
    if (map[role] >= 0) return map[role];
  }
  return -1;
}

}  // namespace clipmill::collision
