// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/limit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "checks.h"
#include "random.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;

namespace {

using Kind = AngleLimit::Kind;

AngleLimit makeLimit(Kind kind, double angle_deg, double yaw_deg = 0.0) {
  return {kind, angle_deg * kDegree, yaw_deg * kDegree, kIdentityRotation};
}

Vec3 limitedBy(const AngleLimit& limit, const Vec3& direction, double softness = 0.0) {
  return limitedDirection({&limit, kIdentityRotation, softness}, direction);
}

// A direction by pitch about X and yaw, degrees: (sin yaw, cos yaw cos pitch, cos yaw sin pitch).
Vec3 at(double pitch_deg, double yaw_deg = 0.0) {
  const double p = pitch_deg * kDegree, y = yaw_deg * kDegree;
  return {std::sin(y), std::cos(y) * std::cos(p), std::cos(y) * std::sin(p)};
}

std::vector<AngleLimit> allKinds() {
  return {makeLimit(Kind::kCone, 0),           makeLimit(Kind::kCone, 35),
          makeLimit(Kind::kCone, 130),         makeLimit(Kind::kCone, 180),
          makeLimit(Kind::kHinge, 0),          makeLimit(Kind::kHinge, 50),
          makeLimit(Kind::kHinge, 150),        makeLimit(Kind::kHinge, 180),
          makeLimit(Kind::kSpherical, 40, 20), makeLimit(Kind::kSpherical, 120, 80),
          makeLimit(Kind::kSpherical, 0, 0),   makeLimit(Kind::kSpherical, 180, 90),
          makeLimit(Kind::kPlanar, 0)};
}

// By how much a direction in the limit's axes is outside, from the meaning of each limit.
double outside(const AngleLimit& limit, const Vec3& v) {
  const double pitch = std::abs(std::atan2(v.z, v.y));
  const double yaw = std::abs(std::asin(std::clamp(v.x, -1.0, 1.0)));
  switch (limit.kind) {
    case Kind::kCone:
      return std::atan2(std::hypot(v.x, v.z), v.y) - limit.angle_rad;
    case Kind::kHinge:
      return std::max(yaw, pitch - limit.angle_rad);
    case Kind::kSpherical:
      // At the poles of the yaw there is no pitch.
      return std::max(yaw < 1.5707 ? pitch - limit.angle_rad : 0.0, yaw - limit.yaw_rad);
    case Kind::kPlanar:
      return yaw;
    case Kind::kNone:
      break;
  }
  return 0.0;
}

}  // namespace

TEST_SUITE_BEGIN("dynamic_bones.limit");

TEST_CASE("no limit is exceeded, and applying it again changes nothing") {
  test::Random random(7);
  for (const AngleLimit& limit : allKinds()) {
    CAPTURE(static_cast<int>(limit.kind));
    CAPTURE(limit.angle_rad);
    for (int i = 0; i < 2000; ++i) {
      const Vec3 once = limitedBy(limit, random.direction());
      CHECK(std::abs(glm::length(once) - 1.0) < 1e-14);
      CHECK(outside(limit, once) < 1e-12);
      CHECK(test::distance(limitedBy(limit, once), once) < 1e-14);
      CHECK(limitExcess({&limit, kIdentityRotation, 0.0}, once) < 1e-14);
      const double softness = random.number(0.0, 1.0);
      const Vec3 soft = limitedBy(limit, random.direction(), softness);
      CHECK(outside(limit, soft) < 1e-12);
    }
  }
}

TEST_CASE("a direction inside of a limit stays bit for bit") {
  test::Random random(7);
  int inside = 0;
  for (const AngleLimit& limit : allKinds()) {
    for (int i = 0; i < 2000; ++i) {
      const Vec3 v = random.direction();
      if (outside(limit, v) > -1e-9) continue;
      CHECK(limitedBy(limit, v) == v);
      ++inside;
    }
  }
  CHECK(inside > 4000);
}

TEST_CASE("limits rotate with their axes") {
  test::Random random(7);
  for (const AngleLimit& limit : allKinds()) {
    for (int i = 0; i < 500; ++i) {
      const Vec3 v = random.direction();
      const Quat rotation = random.rotation();
      const PosedLimit posed{&limit, rotation, 0.3};
      const Vec3 expected = rotation * limitedBy(limit, v, 0.3);
      CHECK(test::distance(limitedDirection(posed, rotation * v), expected) < 1e-13);
    }
  }
}

TEST_CASE("directions outside go to the values worked out by hand") {
  // Cone of 30 degrees: straight back on the meridian.
  const Vec3 on_meridian = limitedBy(makeLimit(Kind::kCone, 30), Vec3(0.6, 0.0, -0.8));
  CHECK(test::distance(on_meridian, Vec3(0.3, std::sqrt(3.0) / 2.0, -0.4)) < 1e-15);
  // Hinge of 45 degrees: x goes, the angle in the plane is clamped on its own side.
  const double half = std::sqrt(0.5);
  CHECK(test::distance(limitedBy(makeLimit(Kind::kHinge, 45), Vec3(0.6, 0.0, -0.8)),
                       Vec3(0, half, -half)) < 1e-15);
  CHECK(test::distance(limitedBy(makeLimit(Kind::kHinge, 45), Vec3(0.6, 0.8, 0.0)), Vec3(0, 1, 0)) <
        1e-15);
  // Spherical: pitch and yaw each for itself.
  CHECK(test::distance(limitedBy(makeLimit(Kind::kSpherical, 30, 10), at(-70, 5)), at(-30, 5)) <
        1e-15);
  CHECK(test::distance(limitedBy(makeLimit(Kind::kSpherical, 30, 10), at(20, -60)), at(20, -10)) <
        1e-15);
  // Planar: any angle within the plane.
  CHECK(test::distance(limitedBy(makeLimit(Kind::kPlanar, 0), Vec3(0.6, -0.8, 0.0)),
                       Vec3(0, -1, 0)) < 1e-15);
}

TEST_CASE("singular directions go where the draft sends them") {
  const Vec3 down(0, -1, 0), side(1, 0, 0);
  CHECK(test::distance(limitedBy(makeLimit(Kind::kCone, 50), down), at(50)) < 1e-15);
  CHECK(test::distance(limitedBy(makeLimit(Kind::kHinge, 50), down), at(50)) < 1e-15);
  CHECK(test::distance(limitedBy(makeLimit(Kind::kHinge, 50), Vec3(0, -1, -0.0)), at(50)) < 1e-15);
  CHECK(test::distance(limitedBy(makeLimit(Kind::kSpherical, 50, 20), down), at(50)) < 1e-15);
  for (double sign : {-1.0, 1.0}) {
    CHECK(limitedBy(makeLimit(Kind::kHinge, 50), side * sign) == Vec3(0, 1, 0));
    CHECK(limitedBy(makeLimit(Kind::kPlanar, 0), side * sign) == Vec3(0, 1, 0));
    CHECK(test::distance(limitedBy(makeLimit(Kind::kSpherical, 50, 20), side * sign),
                         at(0, 20 * sign)) < 1e-15);
  }
  // Under rotations that leave a rounded zero, too.
  test::Random random(7);
  for (int i = 0; i < 200; ++i) {
    const Quat rotation = random.rotation();
    const AngleLimit cone = makeLimit(Kind::kCone, 50), hinge = makeLimit(Kind::kHinge, 50);
    CHECK(test::distance(limitedDirection({&cone, rotation, 0}, rotation * down),
                         rotation * at(50)) < 1e-14);
    CHECK(test::distance(limitedDirection({&hinge, rotation, 0}, rotation * down),
                         rotation * at(50)) < 1e-14);
    CHECK(test::distance(limitedDirection({&hinge, rotation, 0}, rotation * side),
                         rotation * at(0)) < 1e-14);
  }
}

TEST_CASE("a soft limit bends away from the knee with its slope, and stays below the limit") {
  const AngleLimit cone = makeLimit(Kind::kCone, 60), sphere = makeLimit(Kind::kSpherical, 60, 40);
  const auto angle = [&](double deg) {
    const Vec3 v = limitedBy(cone, at(deg), 0.5);
    return std::atan2(v.z, v.y) / kDegree;
  };
  // Knee at 30, width 30: 30 + 30 u / (1 + u).
  CHECK(angle(29.0) == test::nearTo(29.0, 1e-14));
  CHECK(angle(60.0) == test::nearTo(45.0, 1e-14));
  CHECK(angle(90.0) == test::nearTo(50.0, 1e-14));
  CHECK(angle(30.001) - angle(30.0) == test::nearTo(0.001, 1e-4));
  double before = -1.0;
  for (double deg = 0.0; deg < 179.5; deg += 0.5) {
    const double now = angle(deg);
    CHECK(now > before);
    CHECK(now < 60.0);
    before = now;
  }
  CHECK(test::distance(limitedBy(sphere, at(-60, 40), 0.5), at(-45, 30)) < 1e-15);
  CHECK(test::distance(limitedBy(cone, at(50), 0.0), at(50)) < 1e-15);
}

TEST_CASE("a limit's axes map +Y to the bone, by 180 degrees about X for -Y") {
  AngleLimit limit = makeLimit(Kind::kCone, 30);
  test::Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Vec3 axis = random.direction();
    const Quat q = jointFromLimit(limit, axis * 0.3);
    CHECK(test::distance(q * Vec3(0, 1, 0), axis) < 1e-14);
    CHECK(std::abs(q.y) < 1e-15);  // Shortest: no rotation about Y.
  }
  CHECK(test::distance(jointFromLimit(limit, Vec3(0, -1, 0)), Quat(0, 1, 0, 0)) < 1e-15);
  limit.rotation = rotationAbout(Vec3(0, 1, 0), 1.0);
  const Quat expected = Quat(0, 1, 0, 0) * limit.rotation;
  CHECK(test::distance(jointFromLimit(limit, Vec3(0, -2, 0)), expected) < 1e-15);
}

TEST_CASE("the excess is the angle to the allowed direction") {
  const AngleLimit cone = makeLimit(Kind::kCone, 30), hinge = makeLimit(Kind::kHinge, 40);
  CHECK(limitExcess({&cone, kIdentityRotation, 0.9}, at(75)) == test::nearTo(45 * kDegree, 1e-14));
  CHECK(limitExcess({&cone, kIdentityRotation, 0.9}, at(29)) == 0.0);
  CHECK(limitExcess({&hinge, kIdentityRotation, 0.0}, at(0, 25)) ==
        test::nearTo(25 * kDegree, 1e-14));
  CHECK(limitExcess({}, at(170)) == 0.0);
}

TEST_SUITE_END();
