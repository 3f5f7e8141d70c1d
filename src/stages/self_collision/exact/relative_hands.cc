// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/relative_hands.h"

#include "core/to_size.h"

namespace clipmill::stages::self_collision {

RelativeHands relativeHands(const LimbPoser& poser, std::span<const Affine> worlds) {
  if (!poser.hands()) return {};
  return relativeHands(worlds[toSize(poser.limb((*poser.hands())[0]).end)],
                       worlds[toSize(poser.limb((*poser.hands())[1]).end)]);
}

RelativeHands relativeHands(const Affine& left, const Affine& right) {
  const Quat right_from_world = glm::conjugate(rotationOf(right));
  return {right_from_world * rotationOf(left),
          right_from_world * (left.translation - right.translation)};
}

GripError gripError(const RelativeHands& from, const RelativeHands& to) {
  return {lengthOf(to.position_m - from.position_m), angleBetween(from.rotation, to.rotation)};
}

bool isGripKept(const GripError& error, double height_m) {
  return error.distance_m <= kMaxGripHeights * height_m && error.rotation_rad <= kMaxGrip_rad;
}

}  // namespace clipmill::stages::self_collision
