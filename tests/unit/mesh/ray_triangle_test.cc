// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/ray_triangle.h"

#include "checks.h"

namespace clipmill {
namespace {

using test::nearTo;

constexpr double kSame = 1e-12;
const std::array<Vec3, 3> kCorners{Vec3(0.0, 0.0, 2.0), Vec3(3.0, 0.0, 2.0), Vec3(0.0, 3.0, 2.0)};

TEST_SUITE("mesh") {
  TEST_CASE("a ray to the mean of the corners has them in equal shares, from either side") {
    for (const double side : {1.0, -1.0}) {
      const Vec3 origin(1.0, 1.0, 2.0 - side * 4.0), direction(0.0, 0.0, side * 2.0);
      const auto hit = rayHit(origin, direction, kCorners);
      REQUIRE(hit.has_value());
      CHECK(hit->distance == nearTo(2.0, kSame));
      for (int i = 0; i < 3; ++i) CHECK(hit->barycentric[i] == nearTo(1.0 / 3.0, kSame));
    }
  }

  TEST_CASE("a ray hits the point of the triangle that its shares name") {
    const Vec3 origin(0.3, -0.2, -1.0), at(0.5, 1.5, 2.0);
    const auto hit = rayHit(origin, at - origin, kCorners);
    REQUIRE(hit.has_value());
    Vec3 sum(0.0);
    for (int i = 0; i < 3; ++i) {
      sum += hit->barycentric[i] * kCorners[static_cast<std::size_t>(i)];
    }
    CHECK(lengthOf(sum - at) < kSame);
    CHECK(hit->distance == nearTo(1.0, kSame));
  }

  TEST_CASE("rays beside, away from and along a triangle miss it") {
    CHECK_FALSE(rayHit(Vec3(2.0, 2.0, 0.0), Vec3(0.0, 0.0, 1.0), kCorners).has_value());
    CHECK_FALSE(rayHit(Vec3(1.0, 1.0, 0.0), Vec3(0.0, 0.0, -1.0), kCorners).has_value());
    CHECK_FALSE(rayHit(Vec3(-1.0, 1.0, 2.0), Vec3(1.0, 0.0, 0.0), kCorners).has_value());
  }
}

}  // namespace
}  // namespace clipmill
