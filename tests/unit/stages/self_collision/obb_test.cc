// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/obb.h"

#include <vector>

#include "checks.h"
#include "random.h"

TEST_SUITE_BEGIN("self_collision.obb");

using namespace clipmill;
using namespace clipmill::stages::self_collision;
using namespace clipmill::stages::self_collision;

namespace {

Obb boxOf(const Vec3& center, const Vec3& half, const Quat& rotation = kIdentityRotation) {
  return {center, glm::mat3_cast(rotation), half};
}

std::vector<Vec3> cornersOf(const Obb& box) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    const Vec3 signs(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
    corners.push_back(box.center + box.axes * (signs * box.half));
  }
  return corners;
}

double volumeOf(const Obb& box) { return 8.0 * box.half.x * box.half.y * box.half.z; }

const Quat kSlanted = rotationAbout(glm::normalize(Vec3(1.0, 2.0, -0.5)), 0.7);

}  // namespace

TEST_CASE("the box around the corners of a box is that box") {
  for (const Vec3& half : {Vec3(1.0, 0.4, 0.2), Vec3(0.5, 0.5, 0.1), Vec3(0.3, 0.3, 0.3)}) {
    const Obb box = boxOf({3.0, -1.0, 2.0}, half, kSlanted);
    const std::vector<Vec3> corners = cornersOf(box);
    const Obb fit = fitObb(corners);
    CHECK(volumeOf(fit) == test::nearTo(volumeOf(box), 1e-3));
    CHECK(test::distance(fit.center, box.center) < 1e-3);
    for (const Vec3& corner : corners) {
      const Vec3 along = glm::abs((corner - fit.center) * fit.axes);
      for (int i = 0; i < 3; ++i) CHECK(along[i] <= fit.half[i] + 1e-12);
    }
  }
}

TEST_CASE("a box is smaller than the one along the principal axes where points lie unevenly") {
  // A unit square in the plane, with many points near one corner: their main axis is a diagonal.
  std::vector<Vec3> points = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)};
  for (int i = 0; i < 50; ++i) points.push_back(Vec3(1.0 - 0.001 * i, 1.0 - 0.001 * i, 0.0));
  const Obb fit = fitObb(points);
  double area = 4.0;
  for (int i = 0; i < 3; ++i) area *= fit.half[i] > 1e-6 ? fit.half[i] : 1.0;
  CHECK(area == test::nearTo(1.0, 1e-3));
}

TEST_CASE("no point, one point and points in a row have boxes") {
  CHECK(fitObb({}).half == Vec3(0.0));
  const Vec3 one(1.0, 2.0, 3.0);
  CHECK(fitObb({&one, 1}).center == one);
  CHECK(fitObb({&one, 1}).half == Vec3(0.0));
  const std::vector<Vec3> row = {Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(2, 2, 0)};
  const Obb fit = fitObb(row);
  CHECK(test::distance(fit.center, Vec3(1, 1, 0)) < 1e-12);
  const double longest = std::max({fit.half.x, fit.half.y, fit.half.z});
  CHECK(longest == test::nearTo(std::sqrt(2.0), 1e-6));
}

TEST_CASE("the sphere about points is centred at their mean and reaches the farthest") {
  const std::vector<Vec3> points = {Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(0, 3, 0)};
  const Sphere sphere = fitSphere(points);
  CHECK(sphere.center == Vec3(1, 1, 0));
  CHECK(sphere.radius == doctest::Approx(std::sqrt(5.0)));
}

TEST_CASE("a box goes along with a similarity as it is, mirrored or not") {
  const Obb box = boxOf({1.0, 0.0, 0.0}, {0.5, 0.25, 0.125}, kSlanted);
  for (double sign : {1.0, -1.0}) {
    Affine map{glm::mat3_cast(rotationAbout({0, 1, 0}, 1.1)) * 2.0, Vec3(0.0, 5.0, 0.0)};
    map.linear[0] *= sign;
    const Obb moved = transformedBox(map, box);
    CHECK(test::distance(moved.center, transformPoint(map, box.center)) < 1e-12);
    CHECK(test::distance(moved.half, 2.0 * box.half) < 1e-12);
    for (const Vec3& corner : cornersOf(box)) {
      const Vec3 along = glm::abs((transformPoint(map, corner) - moved.center) * moved.axes);
      CHECK(test::distance(along, moved.half) < 1e-12);
    }
  }
}

TEST_CASE("a sheared box is held by the box that it becomes") {
  Affine map;
  map.linear = Mat3(Vec3(2, 0, 0), Vec3(0.5, 1, 0), Vec3(0, 0.3, 0.5));
  const Obb box = boxOf({0.2, 0.1, 0.0}, {0.5, 0.25, 0.125}, kSlanted);
  const Obb moved = transformedBox(map, box);
  for (const Vec3& corner : cornersOf(box)) {
    const Vec3 along = glm::abs((transformPoint(map, corner) - moved.center) * moved.axes);
    for (int i = 0; i < 3; ++i) CHECK(along[i] <= moved.half[i] + 1e-12);
  }
  map.linear = Mat3(Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.0));
  CHECK(isFinite(transformedBox(map, box).half));
}

TEST_CASE("boxes meet where no axis parts them") {
  const Obb cube = boxOf(Vec3(0.0), Vec3(1.0));
  CHECK(overlap(cube, boxOf({2.0, 0.0, 0.0}, Vec3(1.0))));  // equal boundaries
  CHECK_FALSE(overlap(cube, boxOf({2.001, 0.0, 0.0}, Vec3(1.0))));
  // A cube on its edge beside another: the half diagonal is sqrt 2.
  const Quat eighth = rotationAbout({0, 0, 1}, 45.0 * kDegree);
  CHECK(overlap(cube, boxOf({2.41, 0.0, 0.0}, Vec3(1.0), eighth)));
  CHECK_FALSE(overlap(cube, boxOf({2.42, 0.0, 0.0}, Vec3(1.0), eighth)));
  // Two bars, crossed and apart along the product of their edges alone.
  const Obb bar = boxOf(Vec3(0.0), {5.0, 0.1, 0.1}, rotationAbout({1, 0, 0}, 45.0 * kDegree));
  const Quat across =
      rotationAbout({0, 1, 0}, 90.0 * kDegree) * rotationAbout({1, 0, 0}, 45.0 * kDegree);
  CHECK(overlap(bar, boxOf({0.0, 0.28, 0.0}, {5.0, 0.1, 0.1}, across)));
  CHECK_FALSE(overlap(bar, boxOf({0.0, 0.285, 0.0}, {5.0, 0.1, 0.1}, across)));
}

TEST_CASE("a box is met from within, and parallel edges part nothing by rounding") {
  test::Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const Quat rotation = random.rotation();
    const Obb box = boxOf({random.number(-1.0, 1.0), 0.0, 0.0}, {1.0, 0.5, 0.3}, rotation);
    const Obb inner = boxOf(box.center, 0.1 * box.half, rotation);
    CHECK(overlap(box, box));
    CHECK(overlap(box, inner));
    CHECK(overlap(inner, box));
    // Flat ones in one plane.
    const Obb flat = boxOf(box.center, {1.0, 0.5, 0.0}, rotation);
    CHECK(overlap(flat, boxOf(box.center + box.axes * Vec3(0.5, 0.0, 0.0), flat.half, rotation)));
  }
}

TEST_CASE("a sphere meets a box at face, edge and corner where it reaches it") {
  const Obb box = boxOf({1.0, 0.0, 0.0}, {0.5, 0.25, 0.125}, kSlanted);
  const auto at = [&](const Vec3& along) { return box.center + box.axes * along; };
  CHECK(overlap(Sphere{at({0.0, 0.0, 0.225}), 0.11}, box));
  CHECK_FALSE(overlap(Sphere{at({0.0, 0.0, 0.225}), 0.09}, box));
  CHECK(overlap(Sphere{at({0.53, 0.29, 0.0}), 0.051}, box));
  CHECK_FALSE(overlap(Sphere{at({0.53, 0.29, 0.0}), 0.049}, box));
  CHECK(overlap(Sphere{at({0.52, 0.26, 0.145}), 0.031}, box));
  CHECK_FALSE(overlap(Sphere{at({0.52, 0.26, 0.145}), 0.029}, box));
  CHECK(overlap(Sphere{box.center, 0.0}, box));
}

TEST_CASE("spheres meet where their centres are no farther apart than their radii") {
  CHECK(overlap(Sphere{Vec3(0.0), 1.0}, Sphere{Vec3(3.0, 0.0, 0.0), 2.0}));
  CHECK_FALSE(overlap(Sphere{Vec3(0.0), 1.0}, Sphere{Vec3(3.001, 0.0, 0.0), 2.0}));
}

TEST_SUITE_END();
