// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "penetration/part_surface.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::penetration {
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

// Indices of the triangles of `skin_surface` that have all corners in `parts`.
std::vector<std::uint32_t> trianglesOf(const BodySkin& skin, const OutwardSurface& skin_surface,
                                       std::span<const humanoid::BodyPart> parts) {
  std::array<bool, humanoid::kBodyPartCount + 1> is_chosen{};
  for (const humanoid::BodyPart part : parts) is_chosen[toSize(part)] = true;
  std::vector<std::uint32_t> triangles;
  for (std::size_t t = 0; t < skin_surface.triangleCount(); ++t) {
    if (skin_surface.fullness[skin_surface.component[t]] < kMinFullness) continue;
    const auto corners = std::span(skin_surface.triangles).subspan(3 * t, 3);
    const bool is_in = std::all_of(corners.begin(), corners.end(), [&](std::uint32_t vertex) {
      return is_chosen[toSize(skin.partOf(vertex))];
    });
    if (is_in) triangles.insert(triangles.end(), corners.begin(), corners.end());
  }
  return triangles;
}

// Whether all of the front of a triangle is inside of a closed surface.
bool isHidden(const std::array<Vec3, 3>& corners, const TriangleBvh& closed) {
  const Vec3 normal = glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
  const double square = glm::dot(normal, normal);
  if (!(square > 0.0)) return false;
  const Vec3 offset = normal * (kFrontOffset / std::sqrt(std::sqrt(square)));
  const Vec3 middle = (corners[0] + corners[1] + corners[2]) / 3.0;
  const auto isInside = [&](const Vec3& on) { return closed.windingNumber(on + offset) > 0.5; };
  return isInside(middle) && std::all_of(corners.begin(), corners.end(), [&](const Vec3& corner) {
           return isInside(corner + kCornerPull * (middle - corner));
         });
}

}  // namespace

PartSurface::PartSurface(const BodySkin& skin, std::span<const Vec3> rest_m,
                         const OutwardSurface& skin_surface,
                         std::span<const humanoid::BodyPart> parts)
    : parts_(parts.begin(), parts.end()) {
  std::vector<std::uint32_t> triangles = trianglesOf(skin, skin_surface, parts);
  std::vector<std::uint32_t> position_of(skin.vertexCount(), kNone);
  for (std::uint32_t& index : triangles) {
    if (position_of[index] == kNone) {
      position_of[index] = static_cast<std::uint32_t>(vertices_.size());
      vertices_.push_back(index);
    }
    index = position_of[index];
  }
  std::vector<Vec3> positions_m;
  gather(rest_m, positions_m);
  HoleCaps caps = capHoles(positions_m, triangles);
  rims_ = std::move(caps.rims);
  gather(rest_m, positions_m);

  std::vector<std::uint32_t> all = triangles, outer;
  all.insert(all.end(), caps.triangles.begin(), caps.triangles.end());
  closed_ = TriangleBvh(positions_m, all);
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    const auto at = [&](std::size_t c) { return positions_m[triangles[i + c]]; };
    if (isHidden({at(0), at(1), at(2)}, closed_)) continue;
    outer.insert(outer.end(), triangles.begin() + static_cast<std::ptrdiff_t>(i),
                 triangles.begin() + static_cast<std::ptrdiff_t>(i + 3));
  }
  outer_ = TriangleBvh(positions_m, outer, TriangleBvh::Use::kDistances);
}

void PartSurface::gather(std::span<const Vec3> skin_positions_m,
                         std::vector<Vec3>& positions_m) const {
  positions_m.resize(vertices_.size() + rims_.size());
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    positions_m[i] = skin_positions_m[vertices_[i]];
  }
  for (std::size_t r = 0; r < rims_.size(); ++r) {
    positions_m[vertices_.size() + r] = HoleCaps::middleOf(rims_[r], positions_m);
  }
}

void PartSurface::Posed::move(std::span<const Vec3> skin_positions_m) {
  surface_->gather(skin_positions_m, positions_m_);
  box_ = {};
  for (const Vec3& position : positions_m_) box_.add(position);
  is_closed_stale_ = is_outer_stale_ = true;
}

const TriangleBvh& PartSurface::Posed::closed() {
  if (is_closed_stale_) closed_.refit(positions_m_);
  is_closed_stale_ = false;
  return closed_;
}

const TriangleBvh& PartSurface::Posed::outer() {
  if (is_outer_stale_) outer_.refit(positions_m_);
  is_outer_stale_ = false;
  return outer_;
}

}  // namespace clipmill::penetration
