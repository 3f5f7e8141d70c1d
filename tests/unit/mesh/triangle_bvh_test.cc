// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/triangle_bvh.h"

#include "checks.h"
#include "mesh/make_surface.h"
#include "mesh/nearest_on_triangle.h"
#include "random.h"

TEST_SUITE_BEGIN("mesh.triangle_bvh");

using namespace clipmill;
using namespace clipmill::test;

namespace {

TriangleBvh treeOf(const Surface& surface) {
  return TriangleBvh(surface.positions, surface.triangles);
}

std::array<Vec3, 3> cornersOf(const Surface& surface, std::size_t triangle) {
  const auto at = [&](std::size_t c) {
    return surface.positions[surface.triangles[3 * triangle + c]];
  };
  return {at(0), at(1), at(2)};
}

// One triangle after another, its half angle by an arc tangent of its own.
double exactWinding(const Surface& surface, const Vec3& point) {
  double sum = 0.0;
  for (std::size_t t = 0; t < surface.triangleCount(); ++t) {
    std::array<Vec3, 3> c = cornersOf(surface, t);
    double length[3];
    for (std::size_t i = 0; i < 3; ++i) {
      c[i] -= point;
      length[i] = std::sqrt(glm::dot(c[i], c[i]));
    }
    const double sine = glm::dot(c[0], glm::cross(c[1], c[2]));
    const double cosine = length[0] * length[1] * length[2] + glm::dot(c[0], c[1]) * length[2] +
                          glm::dot(c[1], c[2]) * length[0] + glm::dot(c[2], c[0]) * length[1];
    sum += 2.0 * std::atan2(sine, cosine);
  }
  return sum / (4.0 * kPi);
}

// The least distance to points spread over a triangle, and the corners: never below the true one.
double searchedDistance(const std::array<Vec3, 3>& corners, const Vec3& point, int steps) {
  double least = 1e300;
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; i + j <= steps; ++j) {
      const double b = static_cast<double>(i) / steps, c = static_cast<double>(j) / steps;
      const Vec3 on = corners[0] + b * (corners[1] - corners[0]) + c * (corners[2] - corners[0]);
      least = std::min(least, glm::dot(on - point, on - point));
    }
  }
  return std::sqrt(least);
}

// A soup of thin and crossing triangles.
Surface crumpled(unsigned seed, int triangles) {
  Random random(seed);
  Surface surface;
  for (int t = 0; t < triangles; ++t) {
    const Vec3 centre = random.vector(1.0);
    for (std::uint32_t c = 0; c < 3; ++c) {
      surface.triangles.push_back(static_cast<std::uint32_t>(surface.positions.size()));
      surface.positions.push_back(centre + random.vector(0.1));
    }
  }
  return surface;
}

}  // namespace

TEST_CASE("A closed surface has winding number 1 inside and 0 outside") {
  const Surface box = boxSurface(Vec3(-1, -2, -3), Vec3(1, 2, 3));
  const TriangleBvh tree = treeOf(box);
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 p = random.vector(4.0);
    const bool inside = std::abs(p.x) < 1 && std::abs(p.y) < 2 && std::abs(p.z) < 3;
    CHECK(std::abs(tree.windingNumber(p) - (inside ? 1.0 : 0.0)) < 0.01);
  }
  const TriangleBvh rotated = treeOf(rotatedInsideOut(box));
  CHECK(std::abs(rotated.windingNumber(Vec3(0.2, 0.3, 0.4)) + 1.0) < 0.01);
}

TEST_CASE("The winding number is within 0.01 of the sum over all triangles") {
  Random random(2);
  const Surface half_ball = [] {
    Surface ball = ballSurface(Vec3(0.0), 1.0, 48, 32);
    ball.triangles.resize(ball.triangles.size() / 2);
    return ball;
  }();
  const Surface surfaces[] = {
      ballSurface(Vec3(0.3, 0, 0), 0.8, 64, 40), tubeSurface(0.3, -1.0, 1.0, 40, 60), half_ball,
      together(tubeSurface(0.5, -0.5, 0.2), ballSurface(Vec3(0.4), 0.6)), crumpled(3, 2000)};
  for (const Surface& surface : surfaces) {
    const TriangleBvh tree = treeOf(surface);
    double worst = 0.0;
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = random.vector(i % 2 == 0 ? 1.2 : 3.0);
      worst = std::max(worst, std::abs(tree.windingNumber(p) - exactWinding(surface, p)));
    }
    CAPTURE(surface.triangleCount());
    CHECK(worst < 0.01);
  }
}

TEST_CASE(
    "The winding number at the middle of an open tube is the share of directions that it covers") {
  // Seen from the middle, each end of a tube of radius r and half length h covers 1 - h / sqrt(h^2
  // + r^2) of a half space.
  const TriangleBvh tree = treeOf(tubeSurface(0.5, -1.0, 1.0, 400, 4));
  const double expected = 1.0 / std::sqrt(1.0 + 0.25);
  CHECK(std::abs(tree.windingNumber(Vec3(0.0)) - expected) < 0.01);
  CHECK(std::abs(tree.windingNumber(Vec3(0.0, 1.0, 0.0)) - expected / 2.0) < 0.05);
  CHECK(std::abs(tree.windingNumber(Vec3(0.0, 9.0, 0.0))) < 0.01);
}

TEST_CASE("Duplicate faces count twice, opposite ones cancel") {
  const Surface ball = ballSurface(Vec3(0.0), 1.0);
  const TriangleBvh doubled = treeOf(together(ball, ball));
  const TriangleBvh both_sides = treeOf(together(ball, rotatedInsideOut(ball)));
  CHECK(std::abs(doubled.windingNumber(Vec3(0.1)) - 2.0) < 0.02);
  CHECK(std::abs(both_sides.windingNumber(Vec3(0.1))) < 0.02);
}

TEST_CASE("Triangles without area count for distances but not for winding numbers") {
  Surface line;
  line.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(5, 5, 5)};
  line.triangles = {0, 1, 2, 3, 3, 3};
  const TriangleBvh tree = treeOf(line);
  CHECK(tree.windingNumber(Vec3(0.5, 0.5, 0.5)) == 0.0);
  CHECK(tree.windingNumber(Vec3(0.5, 0.0, 0.0)) == 0.0);
  const NearestPoint on_line = tree.nearest(Vec3(1.5, 2.0, 0.0));
  CHECK(on_line.distance == doctest::Approx(2.0));
  CHECK(distance(on_line.point, Vec3(1.5, 0, 0)) < 1e-15);
  const NearestPoint on_point = tree.nearest(Vec3(5, 5, 6));
  CHECK(on_point.distance == doctest::Approx(1.0));
  CHECK(on_point.triangle == 1);
}

TEST_CASE("The nearest point is that of a search over all triangles") {
  for (const Surface& surface : {ballSurface(Vec3(0.2, 0.1, 0.0), 0.7), crumpled(4, 700)}) {
    const TriangleBvh tree = treeOf(surface);
    Random random(5);
    for (int i = 0; i < 10000; ++i) {
      const Vec3 p = random.vector(1.5);
      NearestOnTriangle best;
      for (std::size_t t = 0; t < surface.triangleCount(); ++t) {
        const NearestOnTriangle on = nearestOnTriangle(p, cornersOf(surface, t));
        if (on.square < best.square) best = on;
      }
      const NearestPoint nearest = tree.nearest(p);
      REQUIRE(nearest.distance == std::sqrt(best.square));
      const std::array<Vec3, 3> c = cornersOf(surface, nearest.triangle);
      const Vec3& b = nearest.barycentric;
      REQUIRE(distance(b.x * c[0] + b.y * c[1] + b.z * c[2], nearest.point) < 1e-14);
      REQUIRE(std::abs(b.x + b.y + b.z - 1.0) < 1e-14);
      REQUIRE(std::min({b.x, b.y, b.z}) > -1e-14);
    }
  }
}

TEST_CASE("The nearest point of a triangle is nearer than any of many points spread over it") {
  Random random(6);
  constexpr int kSteps = 60;
  for (int i = 0; i < 300; ++i) {
    std::array<Vec3, 3> corners = {random.vector(1.0), random.vector(1.0), random.vector(1.0)};
    if (i % 4 == 0) corners[2] = corners[0] + 1e-9 * random.vector(1.0) + corners[1];
    if (i % 4 == 1) corners[2] = 0.3 * corners[0] + 0.7 * corners[1];
    if (i % 40 == 2) corners[1] = corners[2] = corners[0];
    const Vec3 p = random.vector(2.0);
    const double found = std::sqrt(nearestOnTriangle(p, corners).square);
    const double searched = searchedDistance(corners, p, kSteps);
    CHECK(found <= searched + 1e-12);
    // Points of the search are nowhere farther from each other than this.
    CHECK(found >= searched - 8.0 / kSteps);
  }
}

TEST_CASE("Only points nearer than the reach are found") {
  const TriangleBvh tree = treeOf(boxSurface(Vec3(-1), Vec3(1)));
  CHECK(tree.nearest(Vec3(3, 0, 0), 2.0).distance == std::numeric_limits<double>::infinity());
  CHECK(tree.nearest(Vec3(3, 0, 0), 2.01).distance == 2.0);
  CHECK(!tree.isNear(Vec3(3, 0, 0), 2.0));
  CHECK(tree.isNear(Vec3(3, 0, 0), 2.01));
  CHECK(tree.isNear(Vec3(0.5, 0, 0), 0.6));
  CHECK(!tree.isNear(Vec3(0.5, 0, 0), 0.5));
}

TEST_CASE("A search with a sufficient distance ends at that distance or at the nearest point") {
  const Surface surface = crumpled(11, 500);
  const TriangleBvh tree = treeOf(surface);
  const double any = std::numeric_limits<double>::infinity();
  Random random(12);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p = random.vector(2.0);
    const double nearest = tree.nearest(p).distance;
    for (const double enough : {0.5 * nearest, 0.999 * nearest}) {
      CHECK(tree.nearest(p, any, enough).distance == nearest);
    }
    for (const double enough : {nearest, 1.5 * nearest, 10.0}) {
      const double distance = tree.nearest(p, any, enough).distance;
      CHECK(distance >= nearest);
      CHECK(distance <= enough);
    }
  }
}

TEST_CASE("A tree for distances finds the same ones, in every pose") {
  Surface surface = together(ballSurface(Vec3(0.0), 1.0), tubeSurface(0.2, 0.5, 2.0));
  TriangleBvh tree(surface.positions, surface.triangles, TriangleBvh::Use::kDistances);
  for (Vec3& p : surface.positions) p.x += 0.3 * p.y * p.y;
  tree.refit(surface.positions);
  const TriangleBvh all = treeOf(surface);
  Random random(13);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p = random.vector(2.0);
    CHECK(tree.nearest(p).distance == all.nearest(p).distance);
    CHECK(tree.isNear(p, 0.2) == all.isNear(p, 0.2));
  }
}

TEST_CASE("A refit tree gives the results of one that was built in the new pose") {
  const Surface at_first = together(ballSurface(Vec3(0.0), 1.0), tubeSurface(0.2, 0.5, 2.0));
  Surface moved = at_first;
  for (Vec3& p : moved.positions) {
    p = rotationAbout(Vec3(0, 0, 1), p.y) * p + Vec3(0.2 * p.x * p.x, 0.0, 1.0);
  }
  TriangleBvh refit = treeOf(at_first);
  refit.refit(moved.positions);
  const TriangleBvh rebuilt = treeOf(moved);
  CHECK(refit.box().low == rebuilt.box().low);
  CHECK(refit.box().high == rebuilt.box().high);
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p = random.vector(2.0) + Vec3(0, 0, 1);
    CHECK(refit.nearest(p).distance == rebuilt.nearest(p).distance);
    const double exact = exactWinding(moved, p);
    CHECK(std::abs(refit.windingNumber(p) - exact) < 0.01);
  }
  refit.refit(at_first.positions);
  const TriangleBvh fresh = treeOf(at_first);
  const Vec3 p(0.3, 0.4, 0.2);
  CHECK(refit.windingNumber(p) == fresh.windingNumber(p));
  CHECK(refit.nearest(p).distance == fresh.nearest(p).distance);
}

TEST_CASE("A tree of which a part moves gives the bits of one that moves as a whole") {
  const Surface at_first = together(ballSurface(Vec3(0.0), 1.0), tubeSurface(0.2, 0.5, 2.0));
  Surface moved = at_first;
  for (Vec3& p : moved.positions) p = rotationAbout(Vec3(0, 0, 1), 0.3) * p;
  TriangleBvh in_parts = treeOf(at_first), as_a_whole = treeOf(at_first);
  in_parts.refit(moved.positions);
  for (Vec3& p : moved.positions) {
    if (p.x > 0.6) p += Vec3(0.3, 0.1 * p.y, -0.2);
  }
  in_parts.refit(moved.positions);
  in_parts.refit(moved.positions);
  as_a_whole.refit(moved.positions);
  CHECK(in_parts.box().low == as_a_whole.box().low);
  CHECK(in_parts.box().high == as_a_whole.box().high);
  Random random(23);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p = random.vector(2.0);
    CHECK(in_parts.nearest(p).distance == as_a_whole.nearest(p).distance);
    CHECK(in_parts.windingNumber(p) == as_a_whole.windingNumber(p));
  }
}

TEST_CASE("Many triangles at one position do not make a tree of many levels") {
  Surface surface;
  // Each so much nearer to the corner than the one before that binning parts one after another.
  double size = 1e300;
  for (std::uint32_t t = 0; t < 900; ++t) {
    for (std::uint32_t c = 0; c < 3; ++c) surface.triangles.push_back(3 * t + c);
    for (const Vec3& p : {Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(1, 0, 1)}) {
      surface.positions.push_back(size * p);
    }
    size *= 0.2;
  }
  const TriangleBvh tree = treeOf(surface);
  CHECK(tree.nearest(Vec3(0.0)).distance < 1e-200);
  const TriangleBvh all_one = treeOf({std::vector<Vec3>{Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, [] {
                                        std::vector<std::uint32_t> triangles;
                                        for (int i = 0; i < 3000; ++i)
                                          triangles.insert(triangles.end(), {0, 1, 2});
                                        return triangles;
                                      }()});
  CHECK(all_one.nearest(Vec3(0, 0, 1)).distance == 1.0);
}

TEST_CASE("An empty tree has no nearest point and no inside") {
  for (const TriangleBvh& tree : {TriangleBvh(), TriangleBvh({}, {})}) {
    CHECK(tree.empty());
    CHECK(tree.nearest(Vec3(0.0)).distance == std::numeric_limits<double>::infinity());
    CHECK(tree.windingNumber(Vec3(0.0)) == 0.0);
    CHECK(!tree.isNear(Vec3(0.0), 1e9));
    CHECK(!tree.box().holds(Vec3(0.0)));
  }
}
TEST_CASE("A ray leaves a solid first where it starts inside of one") {
  // Overlapping boxes: points of both, of one and of none.
  const Surface boxes = together(boxSurface(Vec3(-1, -1, -1), Vec3(1, 1, 1)),
                                 boxSurface(Vec3(0, 0, 0), Vec3(2, 2, 2)));
  const TriangleBvh tree = treeOf(boxes);
  Random random(3);
  std::size_t within_count = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p = random.vector(2.5);
    const bool is_in_second = p.x > 0 && p.y > 0 && p.z > 0 && p.x < 2 && p.y < 2 && p.z < 2;
    const bool is_in_first = std::abs(p.x) < 1 && std::abs(p.y) < 1 && std::abs(p.z) < 1;
    // From the first box alone a ray may enter the second one before it leaves the first.
    const Vec3 away =
        glm::normalize(is_in_first && !is_in_second ? Vec3(-1.0, -0.9, -1.1) : Vec3(1.0, 0.9, 1.1));
    const bool is_within = is_in_first || is_in_second;
    within_count += is_within ? 1 : 0;
    if (!is_within && p.x < 1) continue;  // may enter a box
    CHECK(tree.leavesSolid(p, away) == is_within);
  }
  CHECK(within_count > 100);
}

TEST_CASE("The nearest triangle that faces against a normal is that of a search over all") {
  const Surface surface = crumpled(5, 300);
  const TriangleBvh tree(surface.positions, surface.triangles, TriangleBvh::Use::kFacing);
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const Vec3 p = random.vector(1.0), normal = random.vector(1.0);
    double least = 1e300;
    for (std::size_t t = 0; t < surface.triangleCount(); ++t) {
      const std::array<Vec3, 3> c = cornersOf(surface, t);
      if (!(glm::dot(glm::cross(c[1] - c[0], c[2] - c[0]), normal) < 0.0)) continue;
      least = std::min(least, std::sqrt(nearestOnTriangle(p, c).square));
    }
    CHECK(tree.nearestFacing(p, normal, 10.0).distance == nearTo(least, 1e-12));
    CHECK(std::isinf(tree.nearestFacing(p, normal, 0.5 * least).distance));
  }
}
