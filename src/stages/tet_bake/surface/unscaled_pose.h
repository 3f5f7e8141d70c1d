// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/skeleton.h"
#include "core/math.h"
#include "scene/skin_surface.h"

namespace clipmill::stages::tet_bake {

/// A pose without the scales that joints have relative to the bind pose. Tetrahedra are solved in
/// it, because their volume at rest is that of joints without scale.
struct UnscaledPose {
  bool has_scale = false;               ///< False: world_from_bind is the pose itself.
  std::vector<Affine> world_from_bind;  ///< One per map of the pose; rigid if has_scale.
  /// The linear map from the unscaled pose to the pose, one per map; empty without scale.
  std::vector<Mat3> stretch;

  /// The blended stretch of a point; identity without scale.
  Mat3 stretchOf(std::span<const Influence> influences) const;
};

/// Takes scales and shears out of poses.
class ScaleRemover {
 public:
  ScaleRemover() = default;
  ScaleRemover(const Skeleton& skeleton, const SkinSurface& surface);

  /// `world_from_bind`: worldsFromBind(). Each joint keeps the rotation of the polar decomposition
  /// of its map (Higham 1986; of a reflection that of its negative). In the unscaled pose it is
  /// where the joint above it that moves skin carries it, displaced by its own animated
  /// translation. A joint of scale 0 has the rotation of the joint above it.
  UnscaledPose remove(std::span<const Affine> world_from_bind) const;

 private:
  std::vector<int> above_;          // the next node up that moves skin, -1 for none
  std::vector<std::size_t> order_;  // nodes that move skin, those above first
  std::vector<Vec3> bind_positions_;
};

/// The rotation nearest to a matrix (polar decomposition); of a reflection that nearest to its
/// negative. False for matrices without inverse.
bool polarRotation(const Mat3& matrix, Mat3& rotation);

}  // namespace clipmill::stages::tet_bake
