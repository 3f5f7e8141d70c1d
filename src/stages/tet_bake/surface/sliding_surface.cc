// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/sliding_surface.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "mesh/weld.h"

namespace clipmill::stages::tet_bake {
namespace {

// The strain hardly falls after them.
constexpr int kRelaxations = 40;

}  // namespace

std::vector<Vec3> normalsAcrossSeams(std::span<const std::uint32_t> triangles,
                                     std::span<const std::uint32_t> first,
                                     std::span<const Vec3> positions) {
  std::vector<Vec3> normals(positions.size(), Vec3(0.0));
  for (std::size_t t = 0; t + 2 < triangles.size(); t += 3) {
    const Vec3 a = positions[triangles[t]], b = positions[triangles[t + 1]],
               c = positions[triangles[t + 2]];
    const Vec3 area = glm::cross(b - a, c - a);
    for (std::size_t i = 0; i < 3; ++i) normals[first[triangles[t + i]]] += area;
  }
  for (Vec3& normal : normals) {
    const double length = glm::length(normal);
    if (length > 0.0) normal /= length;
  }
  for (std::size_t p = 0; p < normals.size(); ++p) normals[p] = normals[first[p]];
  return normals;
}

SlidingSurface::SlidingSurface(const SkinSurface& surface)
    : surface_(surface), first_(firstAtPosition(surface.positions)) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> triangle_counts;
  for (std::size_t t = 0; t + 3 <= surface.triangles.size(); t += 3) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = first_[surface.triangles[t + i]],
                          b = first_[surface.triangles[t + (i + 1) % 3]];
      if (a != b) ++triangle_counts[std::minmax(a, b)];
    }
  }
  std::vector<double> edge_counts(surface.pointCount(), 0.0);
  std::vector<char> is_open(surface.pointCount(), 0);
  for (const auto& [ends, count] : triangle_counts) {
    const auto [a, b] = ends;
    edges_.push_back({a, b, glm::distance(surface.positions[a], surface.positions[b])});
    for (const std::uint32_t p : {a, b}) {
      edge_counts[p] += 1.0;
      if (count == 1) is_open[p] = 1;
    }
  }
  for (std::size_t p = 0; p < edge_counts.size(); ++p) {
    const bool can_slide = edge_counts[p] > 0.0 && is_open[p] == 0;
    steps_.push_back(can_slide ? 1.0 / edge_counts[p] : 0.0);
  }
}

std::vector<Vec3> SlidingSurface::slides(std::span<const Vec3> positions) const {
  const std::vector<Vec3> normals = normalsAcrossSeams(surface_.triangles, first_, positions);
  std::vector<Vec3> at(positions.begin(), positions.end()), sums(at.size());
  for (int i = 0; i < kRelaxations; ++i) {
    std::fill(sums.begin(), sums.end(), Vec3(0.0));
    for (const Edge& edge : edges_) {
      const Vec3 path = at[edge.b] - at[edge.a];
      const double length_m = glm::length(path);
      if (!(length_m > 0.0)) continue;
      const Vec3 change = path * (0.5 * (length_m - edge.rest_m) / length_m);
      sums[edge.a] += change;
      sums[edge.b] -= change;
    }
    for (std::size_t p = 0; p < at.size(); ++p) {
      const Vec3 step = sums[p] * steps_[p];
      at[p] += step - normals[p] * glm::dot(normals[p], step);
    }
  }
  std::vector<Vec3> slides(at.size());
  for (std::size_t p = 0; p < at.size(); ++p) slides[p] = at[first_[p]] - positions[first_[p]];
  return slides;
}

}  // namespace clipmill::stages::tet_bake
