// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/sliding_surface.h"

#include <algorithm>
#include <cmath>

#include "checks.h"

TEST_SUITE_BEGIN("tet_bake.sliding_surface");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

constexpr std::uint32_t kSlices = 16, kRings = 9;

// A tube about z without ends, radius 0.1 m, slices 0.02 m apart.
SkinSurface tube() {
  SkinSurface surface;
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    for (std::uint32_t i = 0; i < kSlices; ++i) {
      const double angle = 2.0 * kPi * i / kSlices;
      surface.positions.emplace_back(0.1 * std::cos(angle), 0.1 * std::sin(angle), 0.02 * ring);
    }
  }
  for (std::uint32_t ring = 0; ring + 1 < kRings; ++ring) {
    for (std::uint32_t i = 0; i < kSlices; ++i) {
      const std::uint32_t a = ring * kSlices + i, b = ring * kSlices + (i + 1) % kSlices;
      for (const std::uint32_t p : {a, b, a + kSlices, b, b + kSlices, a + kSlices}) {
        surface.triangles.push_back(p);
      }
    }
  }
  return surface;
}

bool isEnd(std::size_t point) { return point < kSlices || point >= (kRings - 1) * kSlices; }

double largestOf(std::span<const Vec3> paths) {
  double largest = 0.0;
  for (const Vec3& path : paths) largest = std::max(largest, glm::length(path));
  return largest;
}

}  // namespace

TEST_CASE("A surface at rest does not slide") {
  const SkinSurface surface = tube();
  CHECK(largestOf(SlidingSurface(surface).slides(surface.positions)) <= 1e-12);
}

TEST_CASE("Rings that were shifted along a tube slide back, and the tube keeps its radius") {
  const SkinSurface surface = tube();
  std::vector<Vec3> posed = surface.positions;
  for (std::size_t p = 0; p < posed.size(); ++p) {
    const std::size_t ring = p / kSlices;
    if (!isEnd(p) && ring % 2 == 1) posed[p].z += ring % 4 == 1 ? 0.006 : -0.006;
  }
  const std::vector<Vec3> slides = SlidingSurface(surface).slides(posed);
  double before = 0.0, after = 0.0;
  for (std::size_t p = 0; p < posed.size(); ++p) {
    const Vec3 at = posed[p] + slides[p];
    before = std::max(before, std::abs(posed[p].z - surface.positions[p].z));
    after = std::max(after, std::abs(at.z - surface.positions[p].z));
    CHECK(std::hypot(at.x, at.y) == test::nearTo(0.1, 1e-3));
  }
  CHECK(after < 0.1 * before);
}

TEST_CASE("Open edges stay") {
  const SkinSurface surface = tube();
  std::vector<Vec3> posed = surface.positions;
  for (Vec3& position : posed) position.z *= 1.3;
  const std::vector<Vec3> slides = SlidingSurface(surface).slides(posed);
  for (std::size_t p = 0; p < slides.size(); ++p) {
    if (isEnd(p)) CHECK(slides[p] == Vec3(0.0));
  }
}

TEST_CASE("Points at one position at rest slide as one") {
  SkinSurface surface = tube();
  // A seam along the tube: the triangles of one slice have points of their own.
  std::vector<std::uint32_t> twin(surface.positions.size());
  for (std::uint32_t p = 0; p < twin.size(); ++p) twin[p] = p;
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    twin[ring * kSlices] = static_cast<std::uint32_t>(surface.positions.size());
    surface.positions.push_back(surface.positions[ring * kSlices]);
  }
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
    const auto corners = std::span(surface.triangles).subspan(t, 3);
    const bool is_last = std::any_of(corners.begin(), corners.end(),
                                     [](std::uint32_t p) { return p % kSlices == kSlices - 1; });
    for (std::uint32_t& p : corners) p = is_last ? twin[p] : p;
  }
  std::vector<Vec3> posed = surface.positions;
  for (Vec3& position : posed) position.z *= 1.0 + position.z;
  const std::vector<Vec3> slides = SlidingSurface(surface).slides(posed);
  CHECK(largestOf(slides) > 1e-4);
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    CHECK(slides[ring * kSlices] == slides[twin[ring * kSlices]]);
  }
}

TEST_SUITE_END();
