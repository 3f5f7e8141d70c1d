// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/euler.h"

#include "checks.h"
#include "random.h"

TEST_SUITE_BEGIN("anim.euler");

using namespace clipmill;
using test::distance;

namespace {

constexpr EulerOrder kOrders[] = {EulerOrder::kXyz, EulerOrder::kXzy, EulerOrder::kYzx,
                                  EulerOrder::kYxz, EulerOrder::kZxy, EulerOrder::kZyx};
constexpr int kMiddleAxis[] = {1, 2, 2, 0, 0, 1};  // in the sequence of kOrders
constexpr int kLastAxis[] = {2, 1, 0, 2, 1, 0};

Quat aboutX(double deg) { return rotationAbout(Vec3(1, 0, 0), deg * kDegree); }
Quat aboutY(double deg) { return rotationAbout(Vec3(0, 1, 0), deg * kDegree); }
Quat aboutZ(double deg) { return rotationAbout(Vec3(0, 0, 1), deg * kDegree); }

double wholeRotationsOff(double angle) {
  return std::abs(angle - 360.0 * std::round(angle / 360.0));
}

}  // namespace

TEST_CASE("the first letter of an order rotates first") {
  const Vec3 angles(20, -35, 70);
  const Quat x = aboutX(20), y = aboutY(-35), z = aboutZ(70);
  CHECK(distance(fromEuler(angles, EulerOrder::kXyz), z * y * x) < 1e-15);
  CHECK(distance(fromEuler(angles, EulerOrder::kXzy), y * z * x) < 1e-15);
  CHECK(distance(fromEuler(angles, EulerOrder::kYzx), x * z * y) < 1e-15);
  CHECK(distance(fromEuler(angles, EulerOrder::kYxz), z * x * y) < 1e-15);
  CHECK(distance(fromEuler(angles, EulerOrder::kZxy), y * x * z) < 1e-15);
  CHECK(distance(fromEuler(angles, EulerOrder::kZyx), x * y * z) < 1e-15);
}

TEST_CASE("angles come back from their rotation in every order") {
  test::Random random(23);
  for (int o = 0; o < 6; ++o) {
    for (int i = 0; i < 300; ++i) {
      Vec3 angles = random.vector(179.9);
      angles[kMiddleAxis[o]] *= 0.5;
      CHECK(distance(toEuler(fromEuler(angles, kOrders[o]), kOrders[o]), angles) < 1e-9);
    }
  }
}

TEST_CASE("at a middle angle of 90 degrees the last angle is zero") {
  test::Random random(23);
  for (int o = 0; o < 6; ++o) {
    for (double middle : {90.0, -90.0}) {
      for (int i = 0; i < 20; ++i) {
        Vec3 angles = random.vector(180);
        angles[kMiddleAxis[o]] = middle;
        const Quat q = fromEuler(angles, kOrders[o]);
        const Vec3 back = toEuler(q, kOrders[o]);
        CHECK(back[kLastAxis[o]] == 0.0);
        CHECK(back[kMiddleAxis[o]] == doctest::Approx(middle));
        CHECK(distance(fromEuler(back, kOrders[o]), q) < 1e-7);
      }
    }
  }
}

TEST_CASE("angles just beside 90 degrees keep the rotation") {
  for (int o = 0; o < 6; ++o) {
    for (double off = 1e-12; off < 1.0; off *= 3.0) {
      Vec3 angles(12, -75, 140);
      angles[kMiddleAxis[o]] = 90.0 - off;
      const Quat q = fromEuler(angles, kOrders[o]);
      CHECK(distance(fromEuler(toEuler(q, kOrders[o]), kOrders[o]), q) < 6e-8);
      const Vec3 near = toEulerNear(q, kOrders[o], angles);
      CHECK(distance(fromEuler(near, kOrders[o]), q) < 6e-8);
      CHECK(distance(near, angles) < 1e-4);
    }
  }
}

TEST_CASE("near angles are the original ones, whatever their multiples of 360 degrees") {
  test::Random random(23);
  for (int o = 0; o < 6; ++o) {
    for (int i = 0; i < 300; ++i) {
      const Vec3 angles = random.vector(2000), nudge = random.vector(1.0);
      const double to_quarter = wholeRotationsOff(2.0 * angles[kMiddleAxis[o]] - 180.0);
      if (to_quarter < 10.0) continue;  // there the nudge may be nearer to the second solution
      const Vec3 near = toEulerNear(fromEuler(angles, kOrders[o]), kOrders[o], angles + nudge);
      CHECK(distance(near, angles) < 1e-9);
    }
  }
}

TEST_CASE("angles follow a spin through 90 degrees without a jump") {
  for (int o = 0; o < 6; ++o) {
    // The middle angle goes through 900 degrees; frames fall on multiples of 90 degrees exactly.
    Vec3 previous(10, 10, 10);
    previous[kMiddleAxis[o]] = 0.0;
    for (int frame = 0; frame <= 900; ++frame) {
      Vec3 angles(10, 10, 10);
      angles[kMiddleAxis[o]] = frame;
      angles[kLastAxis[o]] += 0.5 * frame;
      const Quat q = fromEuler(angles, kOrders[o]);
      previous = toEulerNear(q, kOrders[o], previous);
      REQUIRE(distance(fromEuler(previous, kOrders[o]), q) < 1e-7);
      // Two frames lie between this and the last multiples of 360 degrees of both outer angles
      // together.
      REQUIRE(distance(previous, angles) < 0.6);
      if (frame % 90 != 0) REQUIRE(distance(previous, angles) < 1e-9);
    }
  }
}

TEST_CASE("a quaternion of another length than one gives angles") {
  const Quat q = fromEuler(Vec3(10, 20, 30), EulerOrder::kXyz);
  CHECK(distance(toEuler(q * 5.0, EulerOrder::kXyz), Vec3(10, 20, 30)) < 1e-12);
  CHECK(distance(toEuler(-q, EulerOrder::kXyz), Vec3(10, 20, 30)) < 1e-12);
  CHECK(toEuler(Quat(0, 0, 0, 0), EulerOrder::kXyz) == Vec3(0.0));
}

TEST_CASE("channels keep what precedes and follows the angles") {
  test::Random random(23);
  for (int o = 0; o < 6; ++o) {
    const EulerRotation channel{kOrders[o], fromEuler(random.vector(180), EulerOrder::kXyz),
                                fromEuler(random.vector(180), EulerOrder::kXyz)};
    Vec3 angles = random.vector(400);
    angles[kMiddleAxis[o]] = random.number(-80, 80);
    const Quat local = localRotation(channel, angles);
    CHECK(distance(local, channel.pre * fromEuler(angles, kOrders[o]) * channel.post) == 0.0);
    CHECK(distance(anglesNear(channel, local, angles), angles) < 1e-9);
  }
}
