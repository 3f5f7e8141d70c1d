// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/bind_corrections.h"

#include <cmath>

namespace clipmill::stages::tet_bake {
namespace {

// A blend counts as flat by its volume over that of a rotated and scaled cube with the same mean
// square of columns: 1 for rotations, 0 where a direction vanishes. Below this it is damped.
constexpr double kDampedBelow = 0.25;
// Of the mean square of the columns, where all vanish.
constexpr double kDamping = 1e-2;

}  // namespace

Mat3 blendedLinear(const SkinSurface& surface, std::span<const Affine> world_from_bind,
                   std::size_t point) {
  Mat3 sum(0.0);
  for (const Influence& influence : surface.influencesOf(point)) {
    sum += world_from_bind[influence.joint].linear * influence.weight;
  }
  return sum;
}

Vec3 beforeSkinning(const Mat3& blend, const Vec3& world, double longest, bool* was_clamped) {
  if (was_clamped) *was_clamped = false;
  const double square =
      (glm::dot(blend[0], blend[0]) + glm::dot(blend[1], blend[1]) + glm::dot(blend[2], blend[2])) /
      3.0;
  if (!(square > 0.0) || world == Vec3(0.0)) return Vec3(0.0);
  const double roundness = std::abs(glm::determinant(blend)) / (square * std::sqrt(square));
  Vec3 result;
  if (roundness >= kDampedBelow) {
    result = glm::inverse(blend) * world;
  } else {
    const double part = 1.0 - roundness / kDampedBelow;
    const Mat3 transposed = glm::transpose(blend);
    Mat3 normal = transposed * blend;
    for (int i = 0; i < 3; ++i) normal[i][i] += kDamping * part * part * square;
    result = glm::inverse(normal) * (transposed * world);
  }
  if (!isFinite(result)) return Vec3(0.0);
  const double length = std::sqrt(glm::dot(result, result));
  if (length <= longest) return result;
  if (was_clamped) *was_clamped = true;
  return result * (longest / length);
}

}  // namespace clipmill::stages::tet_bake
