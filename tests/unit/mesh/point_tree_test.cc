// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/point_tree.h"

#include "checks.h"
#include "mesh/make_surface.h"
#include "random.h"

TEST_SUITE_BEGIN("mesh.point_tree");

using namespace clipmill;
using namespace clipmill::test;

TEST_CASE("Every ball contains its points, and each point is in one of its halves") {
  Random random(9);
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) points.push_back(random.vector(i % 7 == 0 ? 5.0 : 1.0));
  for (int i = 0; i < 40; ++i) points.push_back(Vec3(1, 2, 3));
  PointTree tree(points);
  for (Vec3& p : points) p = Vec3(p.y, 2.0 * p.x, p.z - 1.0);
  tree.refit(points);
  std::vector<int> seen(points.size(), 0);
  for (std::size_t b = 0; b < tree.balls().size(); ++b) {
    const PointTree::Ball& ball = tree.balls()[b];
    for (std::size_t p = ball.first; p < ball.first + ball.count; ++p) {
      CHECK(tree.points()[p] == points[tree.sources()[p]]);
      const Vec3 d = tree.points()[p] - ball.centre;
      CHECK(std::sqrt(glm::dot(d, d)) <= ball.radius);
      if (ball.is_leaf) ++seen[tree.sources()[p]];
    }
    if (ball.is_leaf) {
      CHECK(ball.next == b + 1);
      continue;
    }
    const PointTree::Ball &first = tree.balls()[b + 1], &second = tree.balls()[first.next];
    CHECK(first.first == ball.first);
    CHECK(second.first == first.first + first.count);
    CHECK(first.count + second.count == ball.count);
    CHECK(second.next == ball.next);
  }
  CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(seen.size()));
}

TEST_CASE("A tree without points has no balls") {
  CHECK(PointTree(std::span<const Vec3>{}).balls().empty());
}
