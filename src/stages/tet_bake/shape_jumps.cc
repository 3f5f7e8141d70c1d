// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/shape_jumps.h"

#include <algorithm>
#include <set>

namespace clipmill::stages::tet_bake {
namespace {

// Less than this, in edges, is too small to be seen as a jump.
constexpr double kSmallStep = 0.25;
// Points that are at least half a region's move with its bones.
constexpr double kOwnShare = 0.5;

// Each region and those that share points with it: their bones bend it too.
std::vector<std::vector<std::size_t>> bakeNeighbours(const BakeRig& rig) {
  std::vector<std::vector<std::size_t>> at_point(rig.surface.pointCount());
  for (std::size_t r = 0; r < rig.regions.size(); ++r) {
    for (const std::uint32_t point : rig.regions[r].points) at_point[point].push_back(r);
  }
  std::vector<std::set<std::size_t>> found(rig.regions.size());
  for (const std::vector<std::size_t>& regions : at_point) {
    for (const std::size_t r : regions) found[r].insert(regions.begin(), regions.end());
  }
  std::vector<std::vector<std::size_t>> neighbours;
  for (const std::set<std::size_t>& own : found) neighbours.emplace_back(own.begin(), own.end());
  return neighbours;
}

bool jumps(const BakeRig& rig, const MorphRegion& region, double angle_rad, double small_m,
           const PointDisplacements& displacements, std::size_t column) {
  for (std::size_t i = 0; i < region.points.size(); ++i) {
    if (region.shares[i] < kOwnShare) continue;
    const std::uint32_t point = region.points[i];
    const Vec3 path = displacements.at(point, column + 1) - displacements.at(point, column);
    if (glm::length(path) > small_m + rig.max_displacement_m[point] * angle_rad) return true;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> findShapeJumps(const BakeRig& rig, const PoseAngles& angles,
                                        const PointDisplacements& before_skin, std::size_t start,
                                        double edge_m) {
  const std::vector<std::vector<std::size_t>> neighbours = bakeNeighbours(rig);
  const auto jumpsIn = [&](std::size_t region, std::size_t f) {
    double angle_rad = 0.0;
    for (const std::size_t n : neighbours[region]) {
      angle_rad = std::max(angle_rad, angles.between(n, f, f + 1));
    }
    return jumps(rig, rig.regions[region], angle_rad, kSmallStep * edge_m, before_skin, start + f);
  };
  std::vector<std::size_t> found;
  for (std::size_t f = 0; f + 1 < angles.frameCount(); ++f) {
    std::size_t region = 0;
    while (region < rig.regions.size() && !jumpsIn(region, f)) ++region;
    if (region < rig.regions.size()) found.push_back(start + f);
  }
  return found;
}

}  // namespace clipmill::stages::tet_bake
