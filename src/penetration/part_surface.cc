// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "penetration/part_surface.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/to_size.h"

namespace clipmill::penetration {
namespace {

// Indices of the triangles of `skin_surface` that have all corners in `parts`.
std::vector<std::uint32_t> trianglesOf(const BodySkin& skin, const OutwardSurface& skin_surface,
                                       std::span<const humanoid::BodyPart> parts) {
  std::array<bool, humanoid::kBodyPartCount + 1> is_chosen{};
  for (const humanoid::BodyPart part : parts) is_chosen[toSize(part)] = true;
  std::vector<std::uint32_t> triangles;
  for (std::size_t t = 0; t < skin_surface.triangleCount(); ++t) {
    if (!isAroundSomething(skin_surface, t)) continue;
    const auto corners = std::span(skin_surface.triangles).subspan(3 * t, 3);
    const bool is_in = std::all_of(corners.begin(), corners.end(), [&](std::uint32_t vertex) {
      return is_chosen[toSize(skin.partOf(vertex))];
    });
    if (is_in) triangles.insert(triangles.end(), corners.begin(), corners.end());
  }
  return triangles;
}

}  // namespace

PartSurface::PartSurface(const BodySkin& skin, std::span<const Vec3> rest_m,
                         const OutwardSurface& skin_surface,
                         std::span<const humanoid::BodyPart> parts)
    : parts_(parts.begin(), parts.end()),
      surface_(rest_m, trianglesOf(skin, skin_surface, parts)) {}

}  // namespace clipmill::penetration
