// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/triangulate.h"

#include <cmath>
#include <set>

#include "checks.h"

TEST_SUITE_BEGIN("mesh.triangulate");

using namespace clipmill;
using test::distance;

namespace {

std::vector<std::uint32_t> cut(const std::vector<Vec3>& polygon) {
  std::vector<std::uint32_t> corners;
  triangulate(polygon, corners);
  return corners;
}

Vec3 area(const Vec3& a, const Vec3& b, const Vec3& c) { return 0.5 * glm::cross(b - a, c - a); }

// n - 2 triangles of corners that exist, whose areas all have one orientation and add up to the
// whole.
void checkCut(const std::vector<Vec3>& polygon) {
  const auto corners = cut(polygon);
  REQUIRE(corners.size() == 3 * (polygon.size() - 2));
  Vec3 whole(0.0), sum(0.0);
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    whole += area(polygon[0], polygon[i - 1], polygon[i]);
  }
  for (std::size_t i = 0; i < corners.size(); i += 3) {
    const Vec3 part = area(polygon[corners[i]], polygon[corners[i + 1]], polygon[corners[i + 2]]);
    CHECK(glm::dot(part, whole) > 0.0);
    sum += part;
  }
  CHECK(distance(sum, whole) < 1e-9 * glm::length(whole));
  CHECK(std::set<std::uint32_t>(corners.begin(), corners.end()).size() == polygon.size());
}

}  // namespace

TEST_CASE("fewer than three corners are no polygon, three are a triangle") {
  CHECK(cut({}).empty());
  CHECK(cut({Vec3(0), Vec3(1)}).empty());
  CHECK(cut({Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0)}) == std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("a flat quad is cut along its shorter diagonal") {
  CHECK(cut({Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(3, 1, 0), Vec3(1, 1, 0)}) ==
        std::vector<std::uint32_t>{0, 1, 3, 1, 2, 3});
  CHECK(cut({Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(1, 1, 0), Vec3(-1, 1, 0)}) ==
        std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3});
}

TEST_CASE("a concave quad is cut through its concave corner") {
  std::vector<Vec3> arrow = {Vec3(0, 0, 0), Vec3(4, -3, 0), Vec3(1, 0, 0), Vec3(4, 3, 0)};
  for (int rotation = 0; rotation < 4; ++rotation) {
    checkCut(arrow);
    std::rotate(arrow.begin(), arrow.begin() + 1, arrow.end());
  }
}

TEST_CASE("larger polygons, convex or not, are covered once, from both sides") {
  std::vector<Vec3> letter = {Vec3(0, 0, 1), Vec3(3, 0, 1), Vec3(3, 1, 1),
                              Vec3(1, 1, 1), Vec3(1, 3, 1), Vec3(0, 3, 1)};
  std::vector<Vec3> star, comb;
  for (int i = 0; i < 20; ++i) {
    const double radius = i % 2 ? 1.0 : 4.0, angle = 0.1 * kPi * i;
    star.push_back(
        Vec3(radius * std::cos(angle), radius * std::sin(angle), 2.0 * radius * std::cos(angle)));
    comb.push_back(Vec3(i, i % 2 ? 0.5 : 5.0, 0));
  }
  comb.push_back(Vec3(20, -1, 0));
  comb.push_back(Vec3(-1, -1, 0));
  for (std::vector<Vec3>* polygon : {&letter, &star, &comb}) {
    checkCut(*polygon);
    std::reverse(polygon->begin(), polygon->end());
    checkCut(*polygon);
  }
}

TEST_CASE("corners that coincide or lie in a line give no fewer triangles") {
  const std::vector<Vec3> line = {Vec3(0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(3, 0, 0),
                                  Vec3(4, 0, 0)};
  CHECK(cut(line).size() == 9);
  CHECK(cut(std::vector<Vec3>(7, Vec3(1, 2, 3))).size() == 15);
  CHECK(cut(std::vector<Vec3>(4, Vec3(1, 2, 3))).size() == 6);
  const double nan = std::nan("");
  CHECK(cut(std::vector<Vec3>(6, Vec3(nan, 0, 0))).size() == 12);
}

TEST_CASE("a very large convex polygon is covered too, and quickly") {
  std::vector<Vec3> circle;
  for (int i = 0; i < 5000; ++i) {
    const double angle = 2.0 * kPi * i / 5000;
    circle.push_back(Vec3(std::cos(angle), std::sin(angle), 0));
  }
  checkCut(circle);
}

TEST_CASE("triangles are appended to the existing ones") {
  std::vector<std::uint32_t> corners = {9};
  triangulate(std::vector<Vec3>{Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, corners);
  CHECK(corners == std::vector<std::uint32_t>{9, 0, 1, 2});
}
