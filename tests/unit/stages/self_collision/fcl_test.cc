// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
// The tests of boxes and spheres against those of the Flexible Collision Library, if it is
// installed.
#ifdef CLIPMILL_HAS_FCL

#include <cmath>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/math/bv/OBB.h>
#include <fcl/narrowphase/collision.h>

#include "checks.h"
#include "random.h"
#include "stages/self_collision/obb.h"

TEST_SUITE_BEGIN("self_collision.fcl");

using namespace clipmill;
using namespace clipmill::stages::self_collision;
using namespace clipmill::stages::self_collision;

namespace {

constexpr int kPairs = 100'000;

fcl::Vector3d toFcl(const Vec3& v) { return {v.x, v.y, v.z}; }

fcl::OBBd toFcl(const Obb& box) {
  fcl::Matrix3d axes;
  for (int i = 0; i < 3; ++i) axes.col(i) = toFcl(box.axes[i]);
  return fcl::OBBd(axes, toFcl(box.center), toFcl(box.half));
}

fcl::Transform3d poseOf(const Obb& box) {
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; ++i) pose.linear().col(i) = toFcl(box.axes[i]);
  pose.translation() = toFcl(box.center);
  return pose;
}

template <class A, class B>
bool collides(const A& a, const fcl::Transform3d& a_pose, const B& b,
              const fcl::Transform3d& b_pose) {
  fcl::CollisionRequestd request;
  request.gjk_solver_type = fcl::GST_LIBCCD;
  fcl::CollisionResultd result;
  return fcl::collide(&a, a_pose, &b, b_pose, request, result) > 0;
}

bool shapesCollide(const Obb& a, const Obb& b) {
  const fcl::Boxd a_box(toFcl(2.0 * a.half)), b_box(toFcl(2.0 * b.half));
  return collides(a_box, poseOf(a), b_box, poseOf(b));
}

bool shapesCollide(const Sphere& sphere, const Obb& box) {
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  pose.translation() = toFcl(sphere.center);
  return collides(fcl::Sphered(sphere.radius), pose, fcl::Boxd(toFcl(2.0 * box.half)), poseOf(box));
}

// Of all kinds: thick, thin, cubes; rotated at random, or hardly at all relative to the first.
Obb randomBox(test::Random& random, const Obb* like) {
  Obb box;
  box.half = {random.number(0.01, 1.0), random.number(0.01, 1.0), random.number(0.01, 1.0)};
  switch (random.index(4)) {
    case 0:
      box.half.x = 1e-3;
      break;
    case 1:
      box.half = Vec3(random.number(0.1, 0.5));
      break;
    default:
      break;
  }
  Quat rotation = random.rotation();
  if (like && random.index(3) == 0) rotation = rotationAbout({1, 0, 0}, random.index(2) * 1e-9);
  box.axes = glm::mat3_cast(rotation);
  if (like && rotation.w > 0.9999999) box.axes = box.axes * like->axes;
  box.center = random.vector(1.0);
  return box;
}

// The same box with all of it grown by so much.
Obb grown(const Obb& box, double by) { return {box.center, box.axes, box.half + by}; }

// Moves `b` along the line between both centres until they are `gap` apart, or overlap by it.
void bringNear(const Obb& a, Obb& b, double gap) {
  const Vec3 far = a.center + 8.0 * glm::normalize(b.center - a.center + Vec3(1e-3));
  double apart = 1.0, together = 0.0;  // shares of the distance from a's centre to `far`
  const auto at = [&](double share) { return a.center + share * (far - a.center); };
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (apart + together);
    b.center = at(middle);
    (toFcl(a).overlap(toFcl(b)) ? together : apart) = middle;
  }
  b.center = at(together) + gap * glm::normalize(far - a.center);
}

}  // namespace

// FCL adds 1e-6 to the cosines of its box test, so that it may see boxes that just miss each other
// as meeting. Its result is compared with boxes that are grown and shrunk by as much.
TEST_CASE("boxes meet where FCL's meet") {
  test::Random random(20261122);
  int meeting = 0;
  for (int i = 0; i < kPairs; ++i) {
    const Obb a = randomBox(random, nullptr);
    Obb b = randomBox(random, &a);
    if (i % 3 == 1)
      bringNear(a, b, random.number(-1.0, 1.0) * std::pow(10.0, -random.number(2, 5)));
    const bool theirs = toFcl(a).overlap(toFcl(b));
    constexpr double kSlack = 1e-5;
    if (theirs) REQUIRE(overlap(grown(a, kSlack), grown(b, kSlack)));
    if (!theirs) REQUIRE_FALSE(overlap(a, b));
    meeting += theirs ? 1 : 0;
  }
  CHECK(meeting > kPairs / 5);
  CHECK(meeting < 4 * kPairs / 5);
}

TEST_CASE("boxes meet where the shapes themselves do in the general solver of FCL") {
  test::Random random(20261122);
  int meeting = 0;
  for (int i = 0; i < kPairs; ++i) {
    const Obb a = randomBox(random, nullptr);
    const Obb b = randomBox(random, &a);
    // The two may differ where the gap is nearly 0.
    constexpr double kHair = 1e-6;
    const bool surely = overlap({a.center, a.axes, glm::max(a.half - kHair, Vec3(0.0))}, b);
    if (surely != overlap(grown(a, kHair), b)) continue;
    REQUIRE(shapesCollide(a, b) == surely);
    meeting += surely ? 1 : 0;
  }
  CHECK(meeting > kPairs / 5);
}

TEST_CASE("spheres meet boxes where FCL's do") {
  test::Random random(20261122);
  int meeting = 0, near = 0;
  for (int i = 0; i < kPairs; ++i) {
    const Obb box = randomBox(random, nullptr);
    Sphere sphere{random.vector(1.5), random.number(0.01, 0.8)};
    if (i % 3 == 1) {  // at a position near the surface
      const Vec3 along = glm::sign(random.vector(1.0)) * box.half;
      const Vec3 direction = box.axes * glm::normalize(along);
      sphere.center = box.center + box.axes * along +
                      direction * (sphere.radius + random.number(-1.0, 1.0) * 1e-4);
      ++near;
    }
    constexpr double kHair = 1e-9;
    const bool surely = overlap(Sphere{sphere.center, sphere.radius - kHair}, box);
    if (surely != overlap(Sphere{sphere.center, sphere.radius + kHair}, box)) continue;
    REQUIRE(shapesCollide(sphere, box) == surely);
    meeting += surely ? 1 : 0;
  }
  CHECK(near > kPairs / 4);
  CHECK(meeting > kPairs / 5);
}

TEST_SUITE_END();

#endif
