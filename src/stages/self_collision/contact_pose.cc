// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/contact_pose.h"

#include <algorithm>
#include <array>

#include "anim/pose.h"
#include "core/to_size.h"
#include "mesh/closed_surface.h"
#include "mesh/ray_triangle.h"

namespace clipmill::stages::self_collision {

void ContactPose::set(const PoseSpans& pose) {
  computeWorlds(scene_.skeleton, pose.locals, Affine(), worlds_);
  skin_.pose(worlds_, pose.weights, pose_);
  if (surface_.empty()) {
    surface_ = TriangleBvh(pose_.positions_m, triangles_);
  } else {
    surface_.refit(pose_.positions_m);
  }
}

VertexContact ContactPose::of(std::uint32_t vertex) const {
  VertexContact contact;
  contact.position_m = pose_.positions_m[vertex];
  contact.distance_m = reach_m_;
  const bool is_within = surface_.box().holds(contact.position_m) &&
                         surface_.windingNumber(contact.position_m) > kInsideWinding;
  if (!is_within && !surface_.isNear(contact.position_m, reach_m_)) return contact;
  const NearestPoint nearest = surface_.nearest(contact.position_m);
  contact.distance_m = is_within ? -nearest.distance : std::min(reach_m_, nearest.distance);
  contact.nearest_m = nearest.point;
  for (std::size_t i = 0; i < 3; ++i) {
    contact.nearest.push_back({triangles_[3 * toSize(static_cast<int>(nearest.triangle)) + i],
                               nearest.barycentric[static_cast<int>(i)]});
  }
  return contact;
}

std::optional<VertexContact> ContactPose::outward(std::uint32_t vertex, const Vec3& hips_m,
                                                  const Vec3& neck_m) const {
  VertexContact contact;
  contact.position_m = pose_.positions_m[vertex];
  const Vec3 axis = unitOrZero(neck_m - hips_m), offset = contact.position_m - hips_m;
  const Vec3 direction = unitOrZero(offset - axis * glm::dot(axis, offset));
  double farthest_m = -1.0;
  for (std::size_t t = 0; t + 2 < triangles_.size(); t += 3) {
    std::array<Vec3, 3> corners;
    bool is_trunk = true;
    for (std::size_t i = 0; i < 3; ++i) {
      corners[i] = pose_.positions_m[triangles_[t + i]];
      is_trunk = is_trunk && skin_.partOf(triangles_[t + i]) == humanoid::BodyPart::kTrunk;
    }
    if (!is_trunk) continue;
    const auto hit = rayHit(contact.position_m, direction, corners);
    if (!hit || !(hit->distance > farthest_m)) continue;
    farthest_m = hit->distance;
    contact.nearest.clear();
    for (std::size_t i = 0; i < 3; ++i) {
      contact.nearest.push_back({triangles_[t + i], hit->barycentric[static_cast<int>(i)]});
    }
  }
  if (!(farthest_m >= 0.0)) return std::nullopt;
  contact.distance_m = -farthest_m;
  contact.nearest_m = contact.position_m + farthest_m * direction;
  return contact;
}

}  // namespace clipmill::stages::self_collision
