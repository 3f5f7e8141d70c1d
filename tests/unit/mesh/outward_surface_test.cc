// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/outward_surface.h"

#include "checks.h"
#include "mesh/make_surface.h"
#include "mesh/triangle_bvh.h"
#include "mesh/weld.h"
#include "random.h"

TEST_SUITE_BEGIN("mesh.outward_surface");

using namespace clipmill;
using namespace clipmill::test;

namespace {

OutwardSurface outward(const Surface& surface) {
  return orientOutward(surface.positions, surface.triangles);
}

double windingAt(const Surface& surface, const std::vector<std::uint32_t>& triangles,
                 const Vec3& point) {
  return TriangleBvh(surface.positions, triangles).windingNumber(point);
}

// Every triangle with vertices of its own.
Surface unwelded(const Surface& surface) {
  Surface result;
  for (const std::uint32_t index : surface.triangles) {
    result.triangles.push_back(static_cast<std::uint32_t>(result.positions.size()));
    result.positions.push_back(surface.positions[index]);
  }
  return result;
}

Surface closedWithCaps(Surface surface) {
  const HoleCaps caps = capHoles(surface.positions, surface.triangles);
  std::vector<Vec3> middles;
  for (const auto& rim : caps.rims) middles.push_back(HoleCaps::middleOf(rim, surface.positions));
  surface.positions.insert(surface.positions.end(), middles.begin(), middles.end());
  surface.triangles.insert(surface.triangles.end(), caps.triangles.begin(), caps.triangles.end());
  return surface;
}

}  // namespace

TEST_CASE("The first of all equal positions represents them") {
  const std::vector<Vec3> positions = {Vec3(1, 0, 0), Vec3(0.0), Vec3(1, 0, 0), Vec3(-0.0, 0, 0),
                                       Vec3(1, 0, 1e-300)};
  CHECK(firstAtPosition(positions) == std::vector<std::uint32_t>{0, 1, 0, 1, 4});
  CHECK(firstAtPosition({}).empty());
}

TEST_CASE("Components that face outward are unchanged") {
  const Surface ball = ballSurface(Vec3(0.0), 1.0);
  const OutwardSurface surface = outward(ball);
  CHECK(surface.triangles == ball.triangles);
  CHECK(surface.flipped_count == 0);
  CHECK(surface.dropped_count == 0);
  REQUIRE(surface.fullness.size() == 1);
  CHECK(surface.fullness[0] == nearTo(1.0, 0.02));
}

TEST_CASE(
    "Components that face inward, or have no orientation, are flipped outward, each by itself") {
  Surface ball = ballSurface(Vec3(3, 0, 0), 1.0);
  for (std::size_t t = 0; t < ball.triangleCount(); t += 3) {
    std::swap(ball.triangles[3 * t], ball.triangles[3 * t + 1]);
  }
  const Surface box = rotatedInsideOut(boxSurface(Vec3(-1), Vec3(1)));
  const Surface both = unwelded(together(box, ball));
  const OutwardSurface surface = outward(both);
  REQUIRE(surface.fullness.size() == 2);
  CHECK(surface.component.front() != surface.component.back());
  CHECK(windingAt(both, surface.triangles, Vec3(0.1)) == nearTo(1.0, 0.01));
  CHECK(windingAt(both, surface.triangles, Vec3(3, 0.2, 0)) == nearTo(1.0, 0.01));
  CHECK(surface.flipped_count == 12 + (ball.triangleCount() + 2) / 3);
}

TEST_CASE("Of both sides of a sheet, and of duplicates, one triangle is kept") {
  const Surface ball = ballSurface(Vec3(0.0), 1.0);
  Surface sheet = together(together(ball, rotatedInsideOut(ball)), ball);
  sheet.triangles.insert(sheet.triangles.end(), {0, 0, 1});
  const OutwardSurface surface = outward(sheet);
  CHECK(surface.triangleCount() == ball.triangleCount());
  CHECK(surface.dropped_count == 2 * ball.triangleCount() + 1);
  CHECK(windingAt(sheet, surface.triangles, Vec3(0.2)) == nearTo(1.0, 0.01));
}

TEST_CASE("An open tube winds about its inside; a flat sheet keeps its orientation") {
  const Surface tube = rotatedInsideOut(tubeSurface(0.3, -1, 1));
  const OutwardSurface outward_tube = outward(tube);
  CHECK(windingAt(tube, outward_tube.triangles, Vec3(0.0)) > 0.9);
  CHECK(outward_tube.fullness[0] > 0.5);
  Surface sheet;
  sheet.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
  sheet.triangles = {0, 1, 2, 0, 2, 3};
  for (const Surface& s : {sheet, rotatedInsideOut(sheet)}) {
    const OutwardSurface as_it_is = outward(s);
    CHECK(as_it_is.triangles == s.triangles);
    CHECK(as_it_is.fullness[0] < 0.01);
  }
}

TEST_CASE("Where three triangles meet at an edge they keep the orientation of the file") {
  // A fin on a ball: its triangle shares an edge with two of the ball.
  Surface ball = ballSurface(Vec3(0.0), 1.0);
  const std::uint32_t a = ball.triangles[0], b = ball.triangles[1];
  ball.triangles.insert(ball.triangles.end(),
                        {a, b, static_cast<std::uint32_t>(ball.positions.size())});
  ball.positions.push_back(Vec3(2, 0, 0));
  const OutwardSurface surface = outward(ball);
  CHECK(surface.triangles == ball.triangles);
  CHECK(surface.fullness.size() == 1);
}

TEST_CASE("With caps an open surface winds once, in any pose") {
  Surface tube = tubeSurface(0.5, -1.0, 1.0);
  const HoleCaps caps = capHoles(tube.positions, tube.triangles);
  CHECK(caps.rims.size() == 2);
  CHECK(caps.triangles.size() == 3 * 2 * 24);
  Surface closed = closedWithCaps(unwelded(tube));
  CHECK(distance(closed.positions[closed.positions.size() - 2], Vec3(0, -1, 0)) < 1e-15);
  for (Vec3& p : closed.positions) p += Vec3(0.3 * p.y * p.y, 0.0, 0.1 * p.x);
  CHECK(windingAt(closed, closed.triangles, Vec3(0.28, 0.95, 0)) == nearTo(1.0, 0.01));
  CHECK(std::abs(windingAt(closed, closed.triangles, Vec3(0.3, 1.05, 0))) < 0.01);
  CHECK(windingAt(closed, closed.triangles, Vec3(0.0, 0.0, 0)) == nearTo(1.0, 0.01));
}

TEST_CASE("Caps make the winding numbers of any set of triangles integers") {
  Random random(8);
  Surface soup;
  for (int i = 0; i < 30; ++i) soup.positions.push_back(random.vector(1.0));
  for (int i = 0; i < 180; ++i) {
    soup.triangles.push_back(static_cast<std::uint32_t>(random.number(0.0, 29.99)));
  }
  const Surface closed = closedWithCaps(soup);
  for (int i = 0; i < 300; ++i) {
    const double winding = windingAt(closed, closed.triangles, random.vector(1.0));
    CHECK(std::abs(winding - std::floor(winding + 0.5)) < 0.05);
  }
}

TEST_CASE("A closed surface and an empty one have no holes") {
  const Surface ball = ballSurface(Vec3(0.0), 1.0);
  CHECK(capHoles(ball.positions, ball.triangles).triangles.empty());
  CHECK(capHoles({}, {}).rims.empty());
  CHECK(orientOutward({}, {}).triangleCount() == 0);
}
