// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/planar_shadow.h"

namespace clipmill::render {

Mat4 shadowMatrix(const Vec4& plane, const Vec4& light) {
  const double height = glm::dot(plane, light);
  Mat4 shadow(0.0);
  for (int column = 0; column < 4; ++column) {
    for (int row = 0; row < 4; ++row) {
      shadow[column][row] = (row == column ? height : 0.0) - light[row] * plane[column];
    }
  }
  return shadow;
}

std::optional<Vec3> shadowOf(const Mat4& shadow, const Vec3& point) {
  const Vec4 p = shadow * Vec4(point, 1.0);
  if (!(p.w > 0.0)) return std::nullopt;
  return Vec3(p) / p.w;
}

}  // namespace clipmill::render
