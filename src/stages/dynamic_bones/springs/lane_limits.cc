// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/lane_limits.h"

#include <cmath>

namespace clipmill::stages::dynamic_bones {
namespace {

Vec3 vectorAt(const Lanes* numbers, std::size_t lane) {
  return Vec3(numbers[0].at[lane], numbers[1].at[lane], numbers[2].at[lane]);
}

}  // namespace

void LaneLimits::pose(const Lanes* linear, std::size_t start, std::size_t count) {
  for (std::size_t lane = start; lane < start + count; ++lane) {
    if (!limits[lane]) continue;
    const Mat3 columns(vectorAt(linear, lane), vectorAt(linear + 3, lane),
                       vectorAt(linear + 6, lane));
    const Quat world_from_parent = rotationOf({columns, Vec3(0.0)});
    posed[lane] = {limits[lane], world_from_parent * parent_from_limit[lane], 0.0};
  }
}

void LaneLimits::apply(const Lanes* head, Lanes* tail, std::size_t start, unsigned lanes) const {
  for (std::size_t i = 0; lanes >> i != 0; ++i) {
    const std::size_t lane = start + i;
    if ((lanes >> i & 1U) == 0 || !limits[lane]) continue;
    const Vec3 from = vectorAt(head, lane);
    const Vec3 bone = vectorAt(tail, lane) - from;
    const double length = std::sqrt(glm::dot(bone, bone));
    if (!(length > 0.0)) continue;
    const Vec3 direction = bone / length;
    const Vec3 allowed = limitedDirection(posed[lane], direction);
    if (allowed == direction) continue;
    for (int axis = 0; axis < 3; ++axis) tail[axis].at[lane] = from[axis] + allowed[axis] * length;
  }
}

}  // namespace clipmill::stages::dynamic_bones
