// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/math.h"

#include "checks.h"
#include "random.h"

TEST_SUITE_BEGIN("core.math");

using namespace clipmill;
using test::distance;

namespace {

double distance(const Affine& a, const Affine& b) {
  double worst = distance(a.translation, b.translation);
  for (int i = 0; i < 3; ++i) worst = std::max(worst, distance(a.linear[i], b.linear[i]));
  return worst;
}

Vec3 apply(const Quat& q, const Vec3& v) {
  return transformPoint(toAffine({Vec3(0), q, Vec3(1)}), v);
}

}  // namespace

TEST_CASE("a rotation about an axis follows the right-hand rule") {
  CHECK(distance(apply(rotationAbout(Vec3(0, 0, 1), 0.5 * kPi), Vec3(1, 0, 0)), Vec3(0, 1, 0)) <
        1e-15);
  CHECK(distance(apply(rotationAbout(Vec3(1, 0, 0), 0.5 * kPi), Vec3(0, 1, 0)), Vec3(0, 0, 1)) <
        1e-15);
  CHECK(angleBetween(kIdentityRotation, rotationAbout(Vec3(0, 1, 0), 1.25)) ==
        doctest::Approx(1.25));
}

TEST_CASE("maps compose right to left and the inverse undoes them") {
  test::Random random(17);
  for (int i = 0; i < 100; ++i) {
    const Affine a = toAffine({random.vector(5), random.rotation(), Vec3(1, 2, 0.5)});
    const Affine b = toAffine({random.vector(5), random.rotation(), Vec3(3, 1, 1)});
    const Vec3 p = random.vector(3);
    CHECK(distance(transformPoint(a * b, p), transformPoint(a, transformPoint(b, p))) < 1e-12);
    CHECK(distance(inverse(a) * a, Affine{}) < 1e-12);
    CHECK(distance(transformVector(a, p), transformPoint(a, p) - a.translation) < 1e-12);
  }
}

TEST_CASE("translation, rotation and scale survive conversion to a map and back") {
  test::Random random(17);
  for (int i = 0; i < 1000; ++i) {
    const Transform transform{
        random.vector(10), random.rotation(),
        Vec3{random.number(0.1, 4), random.number(0.1, 4), random.number(0.1, 4)}};
    double shear = -1.0;
    const Transform back = decompose(toAffine(transform), &shear);
    CHECK(shear < 1e-14);
    CHECK(distance(back.translation, transform.translation) == 0.0);
    CHECK(distance(back.rotation, transform.rotation) < 1e-13);
    CHECK(distance(back.scale, transform.scale) < 1e-13);
  }
}

TEST_CASE("a mirrored map is expressed exactly with a negative scale") {
  test::Random random(17);
  for (int i = 0; i < 300; ++i) {
    Vec3 scale{random.number(0.1, 4), random.number(0.1, 4), random.number(0.1, 4)};
    scale[i % 3] = -scale[i % 3];
    const Affine map = toAffine({random.vector(1), random.rotation(), scale});
    const Transform back = decompose(map);
    CHECK(back.scale.x < 0.0);
    CHECK(distance(toAffine(back), map) < 1e-13);
  }
}

TEST_CASE("rotations by 180 degrees about any axis are decomposed") {
  test::Random random(17);
  for (int i = 0; i < 300; ++i) {
    const Quat half = rotationAbout(i < 3 ? Vec3(i == 0, i == 1, i == 2) : random.direction(), kPi);
    CHECK(distance(decompose(toAffine({Vec3(0), half, Vec3(1)})).rotation, half) < 1e-13);
  }
}

TEST_CASE("a sheared map keeps its first column and reports its shear") {
  Affine map;
  map.linear = Mat3(Vec3(2, 0, 0), Vec3(1, 1, 0), Vec3(0, 0, 3));
  double shear = 0.0;
  const Transform nearest = decompose(map, &shear);
  CHECK(shear == doctest::Approx(std::sqrt(0.5)));
  CHECK(distance(nearest.rotation, kIdentityRotation) < 1e-15);
  CHECK(distance(nearest.scale, Vec3(2, std::sqrt(2.0), 3)) < 1e-15);
}

TEST_CASE("flat maps have a finite decomposition") {
  for (const Mat3& m : {Mat3(0.0), Mat3(Vec3(1, 0, 0), Vec3(0), Vec3(0)),
                        Mat3(Vec3(0, 2, 0), Vec3(0, 2, 0), Vec3(0, 0, 1))}) {
    const Transform t = decompose({m, Vec3(0)});
    CHECK(isFinite(t.rotation));
    CHECK(isFinite(t.scale));
    CHECK(glm::dot(t.rotation, t.rotation) == doctest::Approx(1.0));
  }
}

TEST_CASE("quaternions without a direction count as identity") {
  CHECK(normalizedOrIdentity(Quat(0, 0, 0, 0)) == kIdentityRotation);
  CHECK(normalizedOrIdentity(Quat(NAN, 0, 0, 0)) == kIdentityRotation);
  CHECK(normalizedOrIdentity(Quat(0, 0, 0, 5)) == Quat(0, 0, 0, 1));
  CHECK(!isFinite(Quat(0, 0, INFINITY, 0)));
  CHECK(!isFinite(Vec3(0, NAN, 0)));
}

TEST_CASE("slerp rotates about one axis at constant speed") {
  test::Random random(17);
  for (int i = 0; i < 500; ++i) {
    const Quat a = random.rotation();
    const Vec3 axis = random.direction();
    const double angle = random.number(1e-9, 0.99 * kPi);
    const Quat b = rotationAbout(axis, angle) * a;
    for (double t : {0.0, 1e-3, 0.25, 0.5, 0.9, 1.0}) {
      const Quat q = slerp(a, b, t);
      CHECK(distance(q, rotationAbout(axis, t * angle) * a) < 3e-15);
      CHECK(std::abs(glm::dot(q, q) - 1.0) < 1e-14);
      CHECK(Arc(a, b).at(t) == q);
    }
  }
}

TEST_CASE("slerp takes the shorter arc whatever the signs") {
  test::Random random(17);
  for (int i = 0; i < 200; ++i) {
    const Quat a = random.rotation(), b = random.rotation();
    const double whole = angleBetween(a, b);
    CHECK(distance(slerp(a, b, 0.3), slerp(a, -b, 0.3)) < 1e-14);
    CHECK(angleBetween(a, slerp(a, b, 0.3)) == test::nearTo(0.3 * whole, 1e-9));
  }
}

TEST_CASE("slerp to the same rotation with the other sign does not move") {
  const Quat a = rotationAbout(Vec3(0, 0.6, 0.8), 1.1);
  for (double t : {0.0, 0.3, 0.5, 1.0}) CHECK(distance(slerp(a, -a, t), a) < 1e-15);
}

TEST_CASE("angles between vectors and rotations keep their digits when tiny") {
  const double tiny = 1e-11;
  CHECK(angleBetween(Vec3(1, 0, 0), Vec3(1, tiny, 0)) == test::nearTo(tiny, 1e-10));
  CHECK(angleBetween(kIdentityRotation, rotationAbout(Vec3(1, 0, 0), tiny)) ==
        test::nearTo(tiny, 1e-4));
  CHECK(angleBetween(Vec3(1, 0, 0), Vec3(-2, 0, 0)) == doctest::Approx(kPi));
  CHECK(angleBetween(Vec3(0), Vec3(1, 0, 0)) == 0.0);
}

TEST_CASE("the rotation between two directions is the shortest one that maps them") {
  test::Random random(17);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 from = random.direction(), to = random.direction();
    const Quat q = rotationBetween(from * 3.0, to * 0.2);
    CHECK(distance(apply(q, from), to) < 1e-13);
    CHECK(angleBetween(kIdentityRotation, q) == doctest::Approx(angleBetween(from, to)));
  }
}

TEST_CASE("directions that are nearly opposite are mapped too") {
  test::Random random(17);
  for (double off : {1e-2, 1e-4, 1e-6, 1e-7, 1e-9, 0.0}) {
    double worst = 0.0;
    for (int i = 0; i < 100; ++i) {
      const Vec3 from = random.direction(), side = random.direction();
      const Vec3 to = -from + side * off;
      const Vec3 target = to / std::sqrt(glm::dot(to, to));
      worst = std::max(worst, distance(apply(rotationBetween(from, to, side), from), target));
    }
    CAPTURE(off);
    CHECK(worst < 2e-8);
  }
}

TEST_CASE("opposite directions rotate about the fallback axis") {
  const Quat q = rotationBetween(Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(1, 0, 2));
  CHECK(distance(q, rotationAbout(Vec3(0, 0, 1), kPi)) < 1e-15);
  const Quat parallel = rotationBetween(Vec3(0, 0, 1), Vec3(0, 0, -1));
  CHECK(distance(apply(parallel, Vec3(0, 0, 1)), Vec3(0, 0, -1)) < 1e-15);
  CHECK(rotationBetween(Vec3(0), Vec3(1, 0, 0)) == kIdentityRotation);
}

TEST_CASE("swing and twist recompose, twist about the axis and swing normal to it") {
  test::Random random(17);
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random.rotation();
    const Vec3 axis = random.direction();
    const SwingTwist parts = swingTwist(q, axis);
    CHECK(distance(parts.swing * parts.twist, q) < 1e-14);
    CHECK(distance(apply(parts.twist, axis), axis) < 1e-14);
    CHECK(std::abs(glm::dot(Vec3(parts.swing.x, parts.swing.y, parts.swing.z), axis)) < 1e-14);
  }
}

TEST_CASE("a swing by 180 degrees has no twist") {
  const Quat half = rotationAbout(Vec3(1, 0, 0), kPi);
  const Quat exact(0, half.x, half.y, half.z);
  const SwingTwist parts = swingTwist(exact, Vec3(0, 1, 0));
  CHECK(parts.twist == kIdentityRotation);
  CHECK(parts.swing == exact);
}

TEST_SUITE_END();
