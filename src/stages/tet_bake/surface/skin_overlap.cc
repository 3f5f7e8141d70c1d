// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/skin_overlap.h"

#include <algorithm>

#include "mesh/weld.h"
#include "stages/tet_bake/surface/sliding_surface.h"

namespace clipmill::stages::tet_bake {
namespace {

// Of the largest extent of the surface: how far above a point its ray starts, how far it may be
// within another part, and by how much more than the last depth it may be after a step.
constexpr double kRayStart = 2e-4;
constexpr double kMaxDepth = 0.05;
constexpr double kDepthSlack = 2e-3;

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
      bvh_(surface.positions, triangles, TriangleBvh::Use::kDistances),
      size_m_(largestExtentOf(surface.positions)) {
  for (const Overlap& overlap : measure(surface.positions)) {
    at_rest_.push_back(overlap.depth_m > 0.0 ? 1 : 0);
  }
}

Overlap SkinOverlap::overlapOf(const TriangleBvh& bvh, const Vec3& position, const Vec3& normal,
                               double reach_m) const {
  const NearestPoint other = bvh.nearestFacing(position, normal, reach_m);
  if (!(other.distance > 0.0 && other.distance < reach_m)) return {};
  const auto corner = [&](std::size_t i) { return triangles_[3 * other.triangle + i]; };
  return {
      other.distance, (other.point - position) / other.distance, {corner(0), corner(1), corner(2)}};
}

template <class OverlapAt>
std::vector<Overlap> SkinOverlap::measureEach(std::span<const Vec3> positions,
                                              const OverlapAt& overlap_at) const {
  TriangleBvh bvh = bvh_;
  bvh.refit(positions);
  const std::vector<Vec3> normals = normalsAcrossSeams(triangles_, first_, positions);
  std::vector<Overlap> overlaps(positions.size());
  for (std::size_t p = 0; p < positions.size(); ++p) {
    overlaps[p] = first_[p] == p ? overlap_at(bvh, p, normals[p]) : overlaps[first_[p]];
  }
  return overlaps;
}

std::vector<Overlap> SkinOverlap::measure(std::span<const Vec3> positions,
                                          std::span<const char> asked) const {
  return measureEach(positions,
                     [&](const TriangleBvh& bvh, std::size_t p, const Vec3& normal) -> Overlap {
                       const bool is_asked = asked.empty() || asked[p];
                       if (!is_asked || !(share_[p] > 0.0) || normal == Vec3(0.0)) return {};
                       const Vec3 start = positions[p] + kRayStart * size_m_ * normal;
                       if (!bvh.leavesSolid(start, normal)) return {};
                       return overlapOf(bvh, positions[p], normal, kMaxDepth * size_m_);
                     });
}

std::vector<Overlap> SkinOverlap::measureAgain(std::span<const Vec3> positions,
                                               std::span<const Overlap> before) const {
  return measureEach(
      positions, [&](const TriangleBvh& bvh, std::size_t p, const Vec3& normal) -> Overlap {
        if (!(before[p].depth_m > 0.0)) return {};
        const double reach_m =
            std::min(kMaxDepth * size_m_, 2.0 * before[p].depth_m + kDepthSlack * size_m_);
        const Overlap overlap = overlapOf(bvh, positions[p], normal, reach_m);
        // Outside, the path to the other part leads along the normal.
        return glm::dot(overlap.out, normal) < 0.0 ? overlap : Overlap{};
      });
}

}  // namespace clipmill::stages::tet_bake
