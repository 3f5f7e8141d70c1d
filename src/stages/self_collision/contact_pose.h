// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "anim/pose.h"
#include "core/math.h"
#include "mesh/triangle_bvh.h"
#include "penetration/body_skin.h"
#include "retarget/skin_map.h"
#include "scene/scene.h"
#include "stages/self_collision/exact/clip_samples.h"

namespace clipmill::stages::self_collision {

/// Where a vertex of a limb is relative to the surface of other parts, in one pose.
struct VertexContact {
  double distance_m = 0.0;      ///< Negative where it penetrates.
  Vec3 position_m{0.0};         ///< Of the vertex.
  Vec3 nearest_m{0.0};          ///< The nearest point of the surface.
  retarget::SkinPoint nearest;  ///< The same on the skin; empty beyond the reach.
};

/// The surface of some parts of a skin in one pose after the other, to which distances of vertices
/// of another part are measured.
class ContactPose {
 public:
  /// `triangles`: corners of the surface, facing outward. `scene` and `skin` must outlive it.
  ContactPose(const Scene& scene, const penetration::BodySkin& skin,
              std::vector<std::uint32_t> triangles, double reach_m)
      : scene_(scene), skin_(skin), triangles_(std::move(triangles)), reach_m_(reach_m) {}

  void set(const PoseSpans& pose);
  /// Distances beyond the reach count as the reach.
  VertexContact of(std::uint32_t vertex) const;
  /// For a vertex within the trunk: the outermost point of its skin away from the line from hips to
  /// neck. The nearest point of a stout trunk may be in front, beside or behind for vertices of one
  /// hand; this one is where the hand is about the trunk. None where the ray has no hit.
  std::optional<VertexContact> outward(std::uint32_t vertex, const Vec3& hips_m,
                                       const Vec3& neck_m) const;
  /// Of all vertices of the skin, metric.
  const std::vector<Vec3>& positions_m() const { return pose_.positions_m; }

 private:
  const Scene& scene_;
  const penetration::BodySkin& skin_;
  std::vector<std::uint32_t> triangles_;
  double reach_m_;
  std::vector<Affine> worlds_;
  penetration::BodySkin::Pose pose_;
  TriangleBvh surface_;
};

}  // namespace clipmill::stages::self_collision
