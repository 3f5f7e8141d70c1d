// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/planar_shadow.h"

#include "checks.h"

TEST_SUITE_BEGIN("render.planar_shadow");

using namespace clipmill;
using namespace clipmill::render;

namespace {

const Vec3 kPoints[] = {{0, 1, 0}, {0.3, 1.8, -0.4}, {-2, 0.01, 5}, {4, 0.7, 4}, {1, 0.2, 1}};

}  // namespace

TEST_CASE("the shadow of a point lies on the plane, on its line to a far light") {
  const Vec3 normal = Vec3(0.1, 0.9, -0.2) / std::sqrt(0.86);
  const double offset = 0.35;
  const Vec3 to_light(0.4, 1.3, 0.2);
  const Mat4 shadow = shadowMatrix(Vec4(normal, offset), Vec4(to_light, 0.0));
  for (const Vec3& p : kPoints) {
    const auto fallen = shadowOf(shadow, p);
    REQUIRE(fallen.has_value());
    CHECK(std::abs(glm::dot(normal, *fallen) + offset) < 1e-14);
    const Vec3 across = glm::cross(p - *fallen, to_light);
    CHECK(std::sqrt(glm::dot(across, across)) < 1e-14);
    // The closed form: p - L (n.p + d) / (n.L).
    const Vec3 expected =
        p - to_light * ((glm::dot(normal, p) + offset) / glm::dot(normal, to_light));
    CHECK(test::distance(*fallen, expected) < 1e-14);
  }
}

TEST_CASE("the shadow under a lamp lies on the line from the lamp, and the lamp's level has none") {
  const Vec3 lamp(1, 3, 2);
  const Mat4 shadow = shadowMatrix(Vec4(0, 1, 0, 0), Vec4(lamp, 1.0));
  for (const Vec3& p : kPoints) {
    const auto fallen = shadowOf(shadow, p);
    REQUIRE(fallen.has_value());
    CHECK(std::abs(fallen->y) < 1e-14);
    const Vec3 across = glm::cross(*fallen - lamp, p - lamp);
    CHECK(std::sqrt(glm::dot(across, across)) < 1e-13);
  }
  // At half the height, the shadow is twice as far from the lamp's foot.
  CHECK(test::distance(*shadowOf(shadow, Vec3(2, 1.5, 2)), Vec3(3, 0, 2)) < 1e-14);
  CHECK_FALSE(shadowOf(shadow, Vec3(0, 3, 0)).has_value());
  CHECK_FALSE(shadowOf(shadow, Vec3(0, 4, 0)).has_value());
}

TEST_CASE("a point on the plane is its own shadow") {
  const Mat4 shadow = shadowMatrix(Vec4(0, 1, 0, -0.5), Vec4(0.3, 1, 0.7, 0.0));
  CHECK(test::distance(*shadowOf(shadow, Vec3(4, 0.5, -3)), Vec3(4, 0.5, -3)) < 1e-15);
}
