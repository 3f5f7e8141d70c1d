// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/closed_surface.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/to_size.h"

namespace clipmill {
namespace {

// Pieces that are less of a solid than this are sheets. An open tube as long as it is wide has
// 0.58, half as long 0.40, half a ball 0.63; a cape bent half round a back has 0.40, a third round
// 0.27.
constexpr double kMinFullness = 0.42;

// A triangle is hidden where the points so far before it, in shares of its size, are inside.
constexpr double kFrontOffset = 1e-3;
// Corners are tested after a move by this share towards the middle, so that neighbours do not
// interfere.
constexpr double kCornerPull = 0.1;

constexpr std::uint32_t kNone = 0xffffffffu;

// Whether all of the front of a triangle is inside of a closed surface.
bool isHidden(const std::array<Vec3, 3>& corners, const TriangleBvh& closed) {
  const Vec3 normal = glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
  const double square = glm::dot(normal, normal);
  if (!(square > 0.0)) return false;
  const Vec3 offset = normal * (kFrontOffset / std::sqrt(std::sqrt(square)));
  const Vec3 middle = (corners[0] + corners[1] + corners[2]) / 3.0;
  const auto isInside = [&](const Vec3& on) {
    return closed.windingNumber(on + offset) > kInsideWinding;
  };
  return isInside(middle) && std::all_of(corners.begin(), corners.end(), [&](const Vec3& corner) {
           return isInside(corner + kCornerPull * (middle - corner));
         });
}

}  // namespace

bool isAroundSomething(const OutwardSurface& surface, std::size_t triangle) {
  return surface.fullness[surface.component[triangle]] >= kMinFullness;
}

ClosedSurface::ClosedSurface(std::span<const Vec3> rest_m, std::vector<std::uint32_t> triangles) {
  std::vector<std::uint32_t> position_of(rest_m.size(), kNone);
  for (std::uint32_t& index : triangles) {
    if (position_of[index] == kNone) {
      position_of[index] = static_cast<std::uint32_t>(vertices_.size());
      vertices_.push_back(index);
    }
    index = position_of[index];
  }
  std::vector<Vec3> own_m;
  gather(rest_m, own_m);
  HoleCaps caps = capHoles(own_m, triangles);
  rims_ = std::move(caps.rims);
  gather(rest_m, own_m);

  std::vector<std::uint32_t> all = triangles;
  all.insert(all.end(), caps.triangles.begin(), caps.triangles.end());
  closed_ = TriangleBvh(own_m, all);
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    const auto at = [&](std::size_t c) { return own_m[triangles[i + c]]; };
    if (isHidden({at(0), at(1), at(2)}, closed_)) continue;
    outer_triangles_.insert(outer_triangles_.end(),
                            triangles.begin() + static_cast<std::ptrdiff_t>(i),
                            triangles.begin() + static_cast<std::ptrdiff_t>(i + 3));
  }
  outer_ = TriangleBvh(own_m, outer_triangles_, TriangleBvh::Use::kDistances);
}

std::array<std::uint32_t, 3> ClosedSurface::outerCorners(std::uint32_t triangle) const {
  const std::size_t first = 3 * toSize(triangle);
  return {vertices_[outer_triangles_[first]], vertices_[outer_triangles_[first + 1]],
          vertices_[outer_triangles_[first + 2]]};
}

void ClosedSurface::gather(std::span<const Vec3> positions_m, std::vector<Vec3>& own_m) const {
  own_m.resize(vertices_.size() + rims_.size());
  for (std::size_t i = 0; i < vertices_.size(); ++i) own_m[i] = positions_m[vertices_[i]];
  for (std::size_t r = 0; r < rims_.size(); ++r) {
    own_m[vertices_.size() + r] = HoleCaps::middleOf(rims_[r], own_m);
  }
}

void ClosedSurface::Posed::move(std::span<const Vec3> positions_m) {
  surface_->gather(positions_m, positions_m_);
  box_ = {};
  for (const Vec3& position : positions_m_) box_.add(position);
  is_closed_stale_ = is_outer_stale_ = true;
}

const TriangleBvh& ClosedSurface::Posed::closed() {
  if (is_closed_stale_) closed_.refit(positions_m_);
  is_closed_stale_ = false;
  return closed_;
}

const TriangleBvh& ClosedSurface::Posed::outer() {
  if (is_outer_stale_) outer_.refit(positions_m_);
  is_outer_stale_ = false;
  return outer_;
}

Vec3 ClosedSurface::Posed::outerNormal(std::uint32_t triangle) const {
  const std::uint32_t* corners = surface_->outer_triangles_.data() + 3 * toSize(triangle);
  const Vec3 first = positions_m_[corners[0]];
  const Vec3 normal =
      glm::cross(positions_m_[corners[1]] - first, positions_m_[corners[2]] - first);
  const double length = std::sqrt(glm::dot(normal, normal));
  return length > 0.0 ? normal / length : Vec3(0.0);
}

}  // namespace clipmill
