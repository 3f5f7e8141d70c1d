// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/collider.h"

#include <cmath>

#include "checks.h"
#include "stages/dynamic_bones/rig/rig_pose.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using clipmill::test::distance;

TEST_SUITE_BEGIN("dynamic_bones.collider");

TEST_CASE("a joint inside a sphere is pushed out until both are in contact") {
  // c1 - c2 = (0.3, 0.4, 0), length 0.5; r1 + r2 = 1.5; c1' = c2 + 3 (0.3, 0.4, 0).
  const Vec3 pushed = pushOutOfSphere(Vec3(1.3, 2.4, 5), 0.5, Vec3(1, 2, 5), 1.0, Vec3(0, 1, 0));
  CHECK(distance(pushed, Vec3(1.9, 3.2, 5)) < 1e-15);
}

TEST_CASE("a joint in contact with a sphere or apart from it does not change by a bit") {
  const Vec3 away(0.1, 2.0, 0.3);
  CHECK(pushOutOfSphere(away, 0.5, Vec3(0), 1.0, Vec3(0, 1, 0)) == away);
  const Vec3 in_contact(0, 1.5, 0);
  CHECK(pushOutOfSphere(in_contact, 0.5, Vec3(0), 1.0, Vec3(1, 0, 0)) == in_contact);
}

TEST_CASE("concentric spheres separate along the fallback direction") {
  const Vec3 pushed = pushOutOfSphere(Vec3(1), 0.25, Vec3(1), 0.75, Vec3(0, 0, -2));
  CHECK(distance(pushed, Vec3(1, 1, 0)) < 1e-15);
}

TEST_CASE("a capsule pushes from its axis between the ends and from the nearer end beyond them") {
  const WorldCollider capsule = makeCollider(Vec3(0, 0, 0), Vec3(4, 0, 0), 0.5);
  // Between the ends the axis point is (1, 0, 0): pushed along +y to 0.5 + 0.25.
  CHECK(distance(pushOut(capsule, Vec3(1, 0.3, 0), 0.25, Vec3(0)), Vec3(1, 0.75, 0)) < 1e-15);
  // Before m: from (0, 0, 0) along (-0.6, 0.8, 0).
  CHECK(distance(pushOut(capsule, Vec3(-0.3, 0.4, 0), 0.25, Vec3(0)), Vec3(-0.45, 0.6, 0)) < 1e-15);
  // Behind n: from (4, 0, 0) along (0.6, 0, -0.8).
  CHECK(distance(pushOut(capsule, Vec3(4.3, 0, -0.4), 0.25, Vec3(0)), Vec3(4.45, 0, -0.6)) < 1e-15);
  CHECK(penetration(capsule, Vec3(1, 0.3, 0), 0.25) == doctest::Approx(0.45));
  CHECK(penetration(capsule, Vec3(4, 0, 2), 0.25) == doctest::Approx(-1.25));
}

TEST_CASE("length is restored along the direction of the point") {
  // (1, 3, 4) - (1, 0, 0) = 5 (0, 0.6, 0.8).
  const Vec3 restored = restoreLength(Vec3(1, 0, 0), Vec3(1, 3, 4), 2.0, Vec3(1, 0, 0));
  CHECK(distance(restored, Vec3(1, 1.2, 1.6)) < 1e-15);
  CHECK(restoreLength(Vec3(1, 0, 0), Vec3(1, 0, 0), 2.0, Vec3(0, 0, 3)) == Vec3(1, 0, 2));
}

TEST_CASE("after the push the second correction restores the length") {
  // Head 0, length 5, joint (3, 4, 0); collider at (0, 4, 0), r1 + r2 = 6: pushed to (6, 4, 0), at
  // sqrt(52) from the head, then 5 / sqrt(52) (6, 4, 0).
  const std::vector<WorldCollider> colliders = {makeCollider(Vec3(0, 4, 0), Vec3(0, 4, 0), 5.5)};
  const Vec3 point = avoidColliders(colliders, {0}, Vec3(0), Vec3(3, 4, 0), 5.0, 0.5);
  CHECK(distance(point, Vec3(30, 20, 0) / std::sqrt(52.0)) < 1e-14);
}

TEST_CASE("several colliders push one after the other, and unlisted colliders do not push") {
  const std::vector<WorldCollider> colliders = {
      makeCollider(Vec3(0, 4, 0), Vec3(0, 4, 0), 5.5),
      makeCollider(Vec3(3, 4, 0), Vec3(3, 4, 0), 100.0),
      makeCollider(Vec3(4.5, 2.2, 0), Vec3(4.5, 2.2, 0), 0.5)};
  const Vec3 first = avoidColliders(colliders, {0}, Vec3(0), Vec3(3, 4, 0), 5.0, 0.5);
  const Vec3 second = pushOut(colliders[2], first, 0.5, first);
  REQUIRE(second != first);
  CHECK(avoidColliders(colliders, {0, 2}, Vec3(0), Vec3(3, 4, 0), 5.0, 0.5) ==
        restoreLength(Vec3(0), second, 5.0, first));
}

TEST_CASE(
    "the length correction penetrates a collider by no more than its own path and no more than "
    "before") {
  // The push moves by the depth; the correction by at most as much again (the point was on the
  // bone's sphere), along the bone: this path bounds the remaining penetration.
  int hits = 0;
  for (int i = 0; i < 6000; ++i) {
    const double a = 0.01 * i, b = 0.37 * i, c = 0.0123 * i;
    const Vec3 point = Vec3(std::cos(a) * std::cos(b), std::sin(a), std::cos(a) * std::sin(b));
    const Vec3 at(1.1 * std::cos(c), 0.3 * std::sin(b), std::sin(c));
    const WorldCollider collider = makeCollider(at, at + Vec3(0.2, 0.1 * std::cos(a), 0.3), 0.3);
    const double before = penetration(collider, point, 0.1);
    if (before <= 0.0) continue;
    ++hits;
    const Vec3 pushed = pushOut(collider, point, 0.1, point);
    const Vec3 end = avoidColliders({collider}, {0}, Vec3(0), point, 1.0, 0.1);
    const double path = std::abs(std::sqrt(glm::dot(pushed, pushed)) - 1.0);
    CHECK(penetration(collider, end, 0.1) <= path + 1e-12);
    CHECK(penetration(collider, end, 0.1) <= before + 1e-12);
    CHECK(glm::dot(end, end) == test::nearTo(1.0, 1e-14));
  }
  CHECK(hits > 100);
}

TEST_SUITE_END();
