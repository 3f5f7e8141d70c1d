// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cmath>
#include <vector>

#include "checks.h"
#include "random_solids.h"
#include "solid_world.h"
#include "stages/dynamic_bones/colliders/contact.h"

using namespace clipmill;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.contact_sweep");

namespace {

constexpr double kStep_s = 1.0 / 240.0;

}  // namespace

TEST_CASE("a fast collider does not pass through a bone") {
  // A bone hangs from the origin. Solids as thin as 1 cm come from -x at 20 m/s and stop at +x.
  const std::vector<Solid> solids = {sphereAt(Vec3(0), 0.01),
                                     capsuleAt(Vec3(0, 0, -0.2), Vec3(0, 0, 0.2), 0.01, 0.01),
                                     capsuleAt(Vec3(0, 0, -0.2), Vec3(0, 0, 0.2), 0.02, 0.005),
                                     boxAt(Vec3(0), Vec3(0.01, 0.05, 0.08))};
  for (const Solid& solid : solids) {
    for (const double step_s : {1.0 / 30.0, kStep_s}) {
      for (const double height : {-0.12, -0.2, -0.28}) {
        for (const double phase : {0.0, 0.35, 0.8}) {
          const double path = 20.0 * step_s;
          Vec3 end(0, -0.3, 0);
          double x = -0.05 - path * (1.0 + phase);
          while (x < 0.06) {
            const double next = std::min(x + path, 0.06);
            SolidWorld world;
            world.add(solid, at(Vec3(x, height, 0)), at(Vec3(next, height, 0)));
            const BoneStep bone = boneStep(Vec3(0), end, Vec3(0, -0.3, 0));
            end = world.resolve(bone).end;
            CHECK(world.penetration(bone, end) < 1e-6);
            x = next;
          }
          CHECK(end.x * height / end.y > 0.06);
        }
      }
    }
  }
}

TEST_CASE("a fast collider has the same effect in one step as in many small ones") {
  const std::vector<Solid> solids = {sphereAt(Vec3(0), 0.02),
                                     capsuleAt(Vec3(0, -0.1, -0.2), Vec3(0, 0.05, 0.2), 0.02, 0.01),
                                     boxAt(Vec3(0), Vec3(0.01, 0.02, 0.01))};
  for (const Solid& solid : solids) {
    for (const double beside : {0.003, -0.008, 0.006}) {
      const Vec3 from(-0.05, -0.15, beside), to(0.05, -0.16, beside);
      const Vec3 hanging(0, -0.3, 0);
      SolidWorld world;
      world.add(solid, at(from), at(to));
      const Vec3 at_once = world.resolve(boneStep(Vec3(0), hanging, hanging, 0.002)).end;
      Vec3 end = hanging;
      const int parts = 1000;
      for (int i = 0; i < parts; ++i) {
        SolidWorld part;
        part.add(solid, at(from + (to - from) * (1.0 * i / parts)),
                 at(from + (to - from) * ((i + 1.0) / parts)));
        end = part.resolve(boneStep(Vec3(0), end, end, 0.002)).end;
      }
      REQUIRE(distance(end, hanging) > 0.002);
      CHECK(distance(at_once, end) < 0.05 * distance(end, hanging));
    }
  }
}

TEST_CASE("a bone's end at 20 m/s does not pass a thin capsule") {
  for (const double radius_m : {0.01, 0.003, 0.001}) {
    for (const double step_s : {1.0 / 30.0, kStep_s}) {
      SolidWorld world;
      world.add(capsuleAt(Vec3(0, -0.35, -1), Vec3(0, -0.35, 1), radius_m, radius_m));
      // The head goes along x; the bone hangs and follows.
      const double path = std::min(20.0 * step_s, 0.3);
      for (double x = -0.013 - path; x < 0.2; x += path) {
        BoneStep bone = boneStep(Vec3(x + path, 0, 0), Vec3(x, -0.5, 0), Vec3(x + path, -0.5, 0));
        bone.head_before = Vec3(x, 0, 0);
        const ContactResult result = world.resolve(bone);
        if (x > -0.001) continue;
        CHECK(world.penetration(bone, result.end) < 1e-6);
        // On the bone at the capsule's height:
        const double share = 0.35 / -result.end.y;
        CHECK(bone.head.x + (result.end.x - bone.head.x) * share < 0.0);
      }
    }
  }
}

TEST_CASE("a rod that rotates fast about an axis moves a bone along") {
  SolidWorld world;
  const Quat rotation = rotationAbout(Vec3(0, 1, 0), 1.5);
  world.add(capsuleAt(Vec3(0.05, 0, 0), Vec3(0.4, 0, 0), 0.008, 0.008),
            {rotationAbout(Vec3(0, 1, 0), 0.2), Vec3(0)}, {rotation, Vec3(0)});
  // The rod goes from 0.2 to 1.5 rad about +y, over a bone that crosses its plane at 0.8 rad.
  const Vec3 crossing = rotationAbout(Vec3(0, 1, 0), 0.8) * Vec3(0.2, 0, 0);
  const BoneStep bone =
      boneStep(crossing + Vec3(0, 0.3, 0), crossing - Vec3(0, 0.2, 0), crossing - Vec3(0, 0.2, 0));
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.has_contact);
  CHECK(world.penetration(bone, result.end) < 1e-6);
  const Vec3 pierces = bone.head + (result.end - bone.head) * (0.3 / (0.3 - result.end.y));
  CHECK((glm::conjugate(rotation) * pierces).z < 0.0);
}

TEST_CASE("only the motion relative to the bone counts for solids that move along with it") {
  // Both go 1 m; a bone at rest on the sphere stays there without a sweep.
  SolidWorld world;
  world.add(sphereAt(Vec3(0), 0.01), at(Vec3(0)), at(Vec3(1, 0, 0)));
  BoneStep bone = boneStep(Vec3(1, 0.3, 0), Vec3(0, 0.01, 0), Vec3(1, 0.01 - 1e-4, 0));
  bone.head_before = Vec3(0, 0.3, 0);
  bone.length_m = 0.29 + 1e-4;
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.has_contact);
  CHECK(world.penetration(bone, result.end) < 1e-8);
}

TEST_CASE("on a slope the end of a bone sticks below the angle of friction and slides above it") {
  const double friction = 0.5;
  const double gravity = 9.81, length = 5.0;
  for (const double more_deg : {-1.0, 1.0, 13.0}) {
    const double slope = portable::atan(friction) + more_deg * kDegree;
    SolidWorld world;
    world.add(planeAt(Vec3(0), Vec3(0, portable::cos(slope), portable::sin(slope))));
    Vec3 end(length, 0, 0), before = end;
    const int steps = 24;
    for (int i = 0; i < steps; ++i) {
      const Vec3 free = end + (end - before) + Vec3(0, -gravity * kStep_s * kStep_s, 0);
      BoneStep bone = boneStep(Vec3(0), end, length * glm::normalize(free));
      bone.friction = friction;
      const ContactResult result = world.resolve(bone);
      end = result.end;
      before = result.end_before;
    }
    const double moved = glm::length(end - Vec3(length, 0, 0));
    const double pull = gravity * (portable::sin(slope) - friction * portable::cos(slope));
    const double time = steps * kStep_s;
    // x = a t (t + h) / 2 on the grid.
    const double expected = std::max(0.5 * pull * time * (time + kStep_s), 0.0);
    CHECK(std::abs(moved - expected) < 1e-3 * expected + 1e-7);
  }
}

TEST_CASE("friction carries a bone along with a moving surface") {
  SolidWorld world;
  const Vec3 path(0, 0, 0.001);
  world.add(planeAt(Vec3(0), Vec3(0, 1, 0)), at(Vec3(0)), at(path));
  BoneStep bone = boneStep(Vec3(0), Vec3(1, 0, 0), glm::normalize(Vec3(1, -0.01, 0)));
  bone.friction = 1.0;
  const ContactResult result = world.resolve(bone);
  CHECK(std::abs(result.end.z - 0.001) < 1e-6);
  CHECK(std::abs((result.end - result.end_before).z - 0.001) < 1e-6);
  // With less friction: the coefficient times the change of path, 0.01.
  bone.friction = 0.04;
  CHECK(std::abs(world.resolve(bone).end.z - 0.0004) < 2e-6);
}

TEST_CASE("a bone rebounds with the share of the relative speed given by the restitution") {
  for (const double restitution : {0.0, 0.5, 1.0}) {
    for (const double surface : {0.0, 0.004, -0.002}) {
      SolidWorld world;
      world.add(planeAt(Vec3(0), Vec3(0, 1, 0)), at(Vec3(0, -surface, 0)), at(Vec3(0)));
      const double down = 0.01, across = 0.003;
      BoneStep bone = boneStep(Vec3(0), Vec3(10, down / 2, 0),
                               10.0 * glm::normalize(Vec3(10, -down / 2, across)));
      bone.restitution = restitution;
      const ContactResult result = world.resolve(bone);
      REQUIRE(result.has_contact);
      const Vec3 path = result.end - result.end_before;
      CHECK(std::abs(result.end.y) < 1e-9);
      CHECK(std::abs(path.y - (surface + restitution * (down + surface))) < 1e-5);
      CHECK(std::abs(path.z - across) < 1e-5);
    }
  }
}

TEST_CASE(
    "a contact before the end of a bone changes the speed of the end in proportion to its "
    "position") {
  // The sphere rises by 1 mm under the middle of a level bone: the end must rise by 2 mm.
  SolidWorld world;
  world.add(sphereAt(Vec3(0.5, -0.1, 0), 0.1), at(Vec3(0, -0.001, 0)), at(Vec3(0)));
  const BoneStep bone = boneStep(Vec3(0), Vec3(1, -0.002, 0), glm::normalize(Vec3(1, -0.004, 0)));
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.has_contact);
  CHECK(std::abs(result.end.y) < 1e-9);
  CHECK(std::abs((result.end - result.end_before).y - 0.002) < 2e-5);
}

TEST_SUITE_END();
