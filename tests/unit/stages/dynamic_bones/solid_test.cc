// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/solid.h"

#include <cmath>

#include "checks.h"
#include "random_solids.h"
#include "stages/dynamic_bones/colliders/moving_solid.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using clipmill::test::distance;
using clipmill::test::Random;

TEST_SUITE_BEGIN("dynamic_bones.solid");

namespace {

SignedDistance toTaper(const Vec3& tail, double head_radius_m, double tail_radius_m,
                       const Vec3& point) {
  const TaperPoint nearest =
      nearestOnTaper(Taper(Vec3(0), tail, head_radius_m, tail_radius_m), point);
  return {nearest.distance_m, nearest.away};
}

}  // namespace

TEST_CASE("a tapered capsule's side is the line tangent to both end spheres") {
  // Radii 5 and 2 at a distance of 5: sin = -3/5 along the axis, cos = 4/5. From any point beside
  // the middle, the distance is that from the line through (3, 4) + .. with normal (3/5, 4/5).
  const Vec3 normal(0.6, 0.8, 0);
  for (const double out : {-1.0, -0.1, 0.5, 2.0}) {
    const Vec3 on_side = Vec3(0.3 * 5, 0, 0) + normal * (5.0 - 3.0 * 0.3);
    const SignedDistance found = toTaper(Vec3(5, 0, 0), 5, 2, on_side + normal * out);
    CHECK(found.distance_m == test::nearTo(out, 1e-13));
    CHECK(distance(found.away, normal) < 1e-13);
  }
  // Behind the ends the spheres themselves: |(-4, 3)| = 5, |(9, 3) - (5, 0)| = 5.
  CHECK(toTaper(Vec3(5, 0, 0), 5, 2, Vec3(-8, 6, 0)).distance_m == doctest::Approx(5.0));
  CHECK(toTaper(Vec3(5, 0, 0), 5, 2, Vec3(9, 3, 0)).distance_m == doctest::Approx(3.0));
}

TEST_CASE("a tapered capsule whose one end contains the other is the sphere of the larger end") {
  // Radius 5 around 0, radius 1 around (2, 0, 0): |p| - 5.
  CHECK(toTaper(Vec3(2, 0, 0), 5, 1, Vec3(8, 6, 0)).distance_m == doctest::Approx(5.0));
  CHECK(toTaper(Vec3(2, 0, 0), 1, 5, Vec3(8, 8, 0)).distance_m == doctest::Approx(5.0));
  CHECK(toTaper(Vec3(0, 0, 0), 1, 1, Vec3(0, 0, 3)).distance_m == doctest::Approx(2.0));
}

TEST_CASE("distances from all solids equal those found by search, and gradients point away") {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const Solid solid = test::randomSolid(random);
    const RigidPose pose = test::randomPose(random);
    const Vec3 point = random.vector(0.5);
    const SignedDistance found = signedDistance(solid, pose, point);
    CHECK(std::abs(found.distance_m - test::searchedDistance(solid, pose, point)) < 1e-9);
    CHECK(std::abs(glm::length(found.away) - 1.0) < 1e-12);
    // A step along the slope gains its length: no more ever, no less but at the edges inside.
    const double step = 1e-6;
    const double gained = test::searchedDistance(solid, pose, point + found.away * step) -
                          test::searchedDistance(solid, pose, point);
    CHECK(gained < 1.001 * step);
    if (std::abs(found.distance_m) > 1e-5 && (found.distance_m > 0.0) != solid.inside) {
      CHECK(gained > 0.999 * step);
    }
  }
}

TEST_CASE("directions from the center of solids are unit vectors") {
  Solid solid;
  solid.head_radius_m = solid.tail_radius_m = 0.1;
  const RigidPose pose;
  for (const ColliderShape shape : {ColliderShape::kSphere, ColliderShape::kCapsule,
                                    ColliderShape::kBox, ColliderShape::kPlane}) {
    for (const Vec3& tail : {Vec3(0), Vec3(0, 0.4, 0)}) {
      solid.shape = shape;
      solid.tail = tail;
      const SignedDistance found = signedDistance(solid, pose, Vec3(0));
      CHECK(glm::length(found.away) == test::nearTo(1.0, 1e-14));
      const bool is_round = shape == ColliderShape::kSphere || shape == ColliderShape::kCapsule;
      CHECK(found.distance_m == doctest::Approx(is_round ? -0.1 : 0.0));
    }
  }
}

TEST_CASE("solids rotate and move at constant speed in a step") {
  const Solid sphere;
  MovingSolid moving;
  moving.solid = &sphere;
  moving.before = {kIdentityRotation, Vec3(1, 0, 0)};
  moving.now = {rotationAbout(Vec3(0, 1, 0), 1.2), Vec3(2, 4, 0)};
  encloseMotion(moving);
  const RigidPose middle = poseAt(moving, 0.25);
  CHECK(distance(middle.position, Vec3(1.25, 1, 0)) < 1e-15);
  CHECK(distance(middle.rotation, rotationAbout(Vec3(0, 1, 0), 0.3)) < 1e-14);
  const Vec3 point(0.3, -0.2, 0.7);
  CHECK(distance(middle.toOwn(middle.toWorld(point)), point) < 1e-15);
}

TEST_SUITE_END();
