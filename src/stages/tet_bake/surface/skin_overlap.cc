// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/skin_overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/nearest_on_triangle.h"
#include "mesh/weld.h"
#include "stages/tet_bake/surface/sliding_surface.h"

namespace clipmill::stages::tet_bake {
namespace {

// Of the largest extent of the surface: how far above a point its ray starts, how far it may be
// within another part, and by how much more than the last depth it may be after a step.
constexpr double kRayStart = 2e-4;
constexpr double kMaxDepth = 0.05;
constexpr double kDepthSlack = 2e-3;
// Of a distance, generously.
constexpr double kRounding = 1e-9;

double largestExtentOf(std::span<const Vec3> positions) {
  Box box;
  for (const Vec3& position : positions) box.add(position);
  const Vec3 extent = box.high - box.low;
  return std::max({extent.x, extent.y, extent.z});
}

}  // namespace

SkinOverlap::SkinOverlap(const SkinSurface& surface, std::span<const std::uint32_t> triangles)
    : triangles_(triangles.begin(), triangles.end()),
      first_(firstAtPosition(surface.positions)),
      share_(surface.share),
      bvh_(surface.positions, triangles, TriangleBvh::Use::kFacing),
      size_m_(largestExtentOf(surface.positions)) {
  for (const Overlap& overlap : measure(surface.positions)) {
    at_rest_.push_back(overlap.depth_m > 0.0 ? 1 : 0);
  }
}

// The surface in a pose.
class SkinOverlap::Pose {
 public:
  Pose(const SkinOverlap& overlap, std::span<const Vec3> positions)
      : overlap_(overlap),
        positions_(positions),
        normals_(normalsAcrossSeams(overlap.triangles_, overlap.first_, positions)),
        bvh_(overlap.bvh_) {
    bvh_.refit(positions);
  }

  const Vec3& normal(std::size_t point) const { return normals_[point]; }

  bool isWithin(std::size_t point) const {
    if (!(overlap_.share_[point] > 0.0) || normal(point) == Vec3(0.0)) return false;
    const Vec3 start = positions_[point] + kRayStart * overlap_.size_m_ * normal(point);
    return bvh_.leavesSolid(start, normal(point));
  }

  // The nearest triangle that faces against a point's normal. Sooner with a `guess` of its points.
  Overlap overlapOf(std::size_t point, double reach_m, const Overlap& guess) const {
    const Vec3& position = positions_[point];
    const double guess_m = distanceTo(guess, point) * (1.0 + kRounding);
    NearestPoint other;
    if (guess_m < reach_m) other = bvh_.nearestFacing(position, normal(point), guess_m);
    if (!std::isfinite(other.distance)) {
      other = bvh_.nearestFacing(position, normal(point), reach_m);
    }
    if (!(other.distance > 0.0 && other.distance < reach_m)) return {};
    const auto corner = [&](std::size_t i) { return overlap_.triangles_[3 * other.triangle + i]; };
    return {other.distance,
            (other.point - position) / other.distance,
            {corner(0), corner(1), corner(2)}};
  }

 private:
  // Infinity for a triangle that does not face against the normal.
  double distanceTo(const Overlap& guess, std::size_t point) const {
    const std::array<Vec3, 3> corners = {positions_[guess.others[0]], positions_[guess.others[1]],
                                         positions_[guess.others[2]]};
    const Vec3 cross = glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
    if (!(glm::dot(cross, normal(point)) < 0.0)) return std::numeric_limits<double>::infinity();
    return std::sqrt(nearestOnTriangle(positions_[point], corners).square);
  }

  const SkinOverlap& overlap_;
  std::span<const Vec3> positions_;
  std::vector<Vec3> normals_;
  TriangleBvh bvh_;
};

template <class OverlapAt>
std::vector<Overlap> SkinOverlap::measureEach(std::span<const Vec3> positions,
                                              OverlapAt overlap_at) const {
  const Pose pose(*this, positions);
  std::vector<Overlap> overlaps(positions.size());
  for (std::size_t p = 0; p < positions.size(); ++p) {
    overlaps[p] = first_[p] == p ? overlap_at(pose, p) : overlaps[first_[p]];
  }
  return overlaps;
}

std::vector<Overlap> SkinOverlap::measure(std::span<const Vec3> positions) const {
  Overlap last;  // Points in succession are mostly neighbours.
  return measureEach(positions, [&](const Pose& pose, std::size_t p) -> Overlap {
    if (!pose.isWithin(p)) return {};
    last = pose.overlapOf(p, kMaxDepth * size_m_, last);
    return last;
  });
}

std::vector<Overlap> SkinOverlap::measureThose(std::span<const Vec3> positions,
                                               std::span<const Overlap> other) const {
  return measureEach(positions, [&](const Pose& pose, std::size_t p) -> Overlap {
    if (!(other[p].depth_m > 0.0) || !pose.isWithin(p)) return {};
    return pose.overlapOf(p, kMaxDepth * size_m_, other[p]);
  });
}

std::vector<Overlap> SkinOverlap::measureAgain(std::span<const Vec3> positions,
                                               std::span<const Overlap> before) const {
  return measureEach(positions, [&](const Pose& pose, std::size_t p) -> Overlap {
    if (!(before[p].depth_m > 0.0)) return {};
    const double reach_m =
        std::min(kMaxDepth * size_m_, 2.0 * before[p].depth_m + kDepthSlack * size_m_);
    const Overlap overlap = pose.overlapOf(p, reach_m, before[p]);
    // Outside, the path to the other part leads along the normal.
    return glm::dot(overlap.out, pose.normal(p)) < 0.0 ? overlap : Overlap{};
  });
}

}  // namespace clipmill::stages::tet_bake
