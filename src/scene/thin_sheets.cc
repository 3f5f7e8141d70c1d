// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/thin_sheets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace clipmill {
namespace {

// Twice the mean winding number on a component: 1 where closed, 0 where flat.
constexpr double kMinFullness = 0.35;
// Rim length squared by 4 pi times the area: 1 for a disc, 1/2 for a half sphere, 2 r / l for a
// tube, 0 for a closed surface.
constexpr double kMaxRim = 0.6;
// Mean thickness (twice volume by area) by the root of the area: 0.28 for a sphere, 0.11 for a tube
// eight radii long, 0.007 for a cape of 1 cm thickness.
constexpr double kMinThickness = 0.02;

struct Component {
  double area_m2 = 0.0;
  double rim_m = 0.0;
  double volume_m3 = 0.0;
};

// Points at one position share a number.
std::vector<std::uint32_t> positionsOf(const std::vector<Vec3>& positions) {
  std::vector<std::uint32_t> order(positions.size()), position(positions.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t p) {
    return std::make_tuple(positions[p].x, positions[p].y, positions[p].z);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::make_pair(key(a), a) < std::make_pair(key(b), b);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_same = i > 0 && key(order[i]) == key(order[i - 1]);
    position[order[i]] = is_same ? position[order[i - 1]] : order[i];
  }
  return position;
}

class SheetFinder {
 public:
  SheetFinder(SkinSurface& surface, int threads)
      : surface_(surface),
        position_(positionsOf(surface.positions)),
        outward_(orientOutward(surface.positions, surface.triangles, threads)),
        components_(outward_.fullness.size()) {}

  SolidSurface find() {
    measureAreas();
    measureRims();
    SolidSurface solid;
    std::vector<char> is_sheet;
    for (std::size_t c = 0; c < components_.size(); ++c) {
      is_sheet.push_back(isSheet(c) ? 1 : 0);
      if (is_sheet.back()) ++solid.sheet_count;
    }
    std::vector<char> is_solid_position(surface_.pointCount(), 0);
    for (std::size_t t = 0; t < outward_.triangleCount(); ++t) {
      if (is_sheet[outward_.component[t]]) continue;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t point = outward_.triangles[3 * t + i];
        solid.outward.push_back(point);
        is_solid_position[position_[point]] = 1;
      }
    }
    for (std::size_t p = 0; p < surface_.pointCount(); ++p) {
      surface_.share[p] = is_solid_position[position_[p]] ? 1.0 : 0.0;
    }
    keepSolidTriangles(solid);
    solid.whole = std::move(outward_.triangles);
    return solid;
  }

 private:
  void measureAreas() {
    for (std::size_t t = 0; t < outward_.triangleCount(); ++t) {
      const Vec3& a = surface_.positions[outward_.triangles[3 * t]];
      const Vec3& b = surface_.positions[outward_.triangles[3 * t + 1]];
      const Vec3& c = surface_.positions[outward_.triangles[3 * t + 2]];
      Component& component = components_[outward_.component[t]];
      component.area_m2 += 0.5 * glm::length(glm::cross(b - a, c - a));
      // About any point near by: what is not closed is judged by its rim.
      const Vec3& origin = surface_.positions[outward_.triangles[0]];
      component.volume_m3 += glm::dot(a - origin, glm::cross(b - origin, c - origin)) / 6.0;
    }
  }

  void measureRims() {
    struct Edge {
      std::uint32_t component, a, b;
      auto key() const { return std::tie(component, a, b); }
    };
    std::vector<Edge> edges;
    for (std::size_t t = 0; t < outward_.triangleCount(); ++t) {
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t a = position_[outward_.triangles[3 * t + i]];
        const std::uint32_t b = position_[outward_.triangles[3 * t + (i + 1) % 3]];
        edges.push_back({outward_.component[t], std::min(a, b), std::max(a, b)});
      }
    }
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.key() < b.key(); });
    for (std::size_t i = 0; i < edges.size();) {
      std::size_t end = i + 1;
      while (end < edges.size() && edges[end].key() == edges[i].key()) ++end;
      if (end == i + 1) {
        components_[edges[i].component].rim_m +=
            glm::length(surface_.positions[edges[i].a] - surface_.positions[edges[i].b]);
      }
      i = end;
    }
  }

  bool isSheet(std::size_t c) const {
    const Component& component = components_[c];
    if (!(component.area_m2 > 0.0)) return true;
    if (outward_.fullness[c] < kMinFullness) return true;
    if (component.rim_m > 0.0) {
      return component.rim_m * component.rim_m > kMaxRim * 4.0 * kPi * component.area_m2;
    }
    const double thickness_m = 2.0 * std::abs(component.volume_m3) / component.area_m2;
    return thickness_m < kMinThickness * std::sqrt(component.area_m2);
  }

  void keepSolidTriangles(SolidSurface& solid) const {
    for (std::size_t t = 0; t + 3 <= surface_.triangles.size(); t += 3) {
      const bool is_solid = surface_.share[surface_.triangles[t]] > 0.0 &&
                            surface_.share[surface_.triangles[t + 1]] > 0.0 &&
                            surface_.share[surface_.triangles[t + 2]] > 0.0;
      if (!is_solid) continue;
      solid.triangles.insert(solid.triangles.end(), &surface_.triangles[t],
                             &surface_.triangles[t] + 3);
    }
  }

  SkinSurface& surface_;
  std::vector<std::uint32_t> position_;
  OutwardSurface outward_;
  std::vector<Component> components_;
};

}  // namespace

SolidSurface partThinSheets(SkinSurface& surface, int threads) {
  return SheetFinder(surface, threads).find();
}

}  // namespace clipmill
