// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/contact.h"

#include <cmath>
#include <memory>
#include <vector>

#include "checks.h"
#include "random_solids.h"

using namespace clipmill;
using namespace clipmill::bones;
using clipmill::test::distance;
using clipmill::test::Random;

TEST_SUITE_BEGIN("dynamic_bones.contact");

namespace {

constexpr double kStep_s = 1.0 / 240.0;

// Solids with their ways through one step.
class World {
 public:
  void add(const Solid& solid, const Place& before, const Place& now) {
    solids_.push_back(std::make_unique<Solid>(solid));
    moving_.push_back(std::make_unique<MovingSolid>());
    MovingSolid& moving = *moving_.back();
    moving.solid = solids_.back().get();
    moving.before = before;
    moving.now = now;
    encloseWay(moving);
    pointers_.push_back(&moving);
  }
  void add(const Solid& solid) { add(solid, Place(), Place()); }
  ContactResult resolve(const BoneStep& bone) const { return resolveContacts(pointers_, bone); }
  double penetration(const BoneStep& bone, const Vec3& end) const {
    double deepest = -1e9;
    for (const MovingSolid* moving : pointers_) {
      deepest = std::max(deepest, bones::penetration(*moving->solid, moving->now, bone.head, end,
                                                     bone.head_radius_m, bone.end_radius_m));
    }
    return deepest;
  }
  const std::vector<const MovingSolid*>& moving() const { return pointers_; }

 private:
  std::vector<std::unique_ptr<Solid>> solids_;
  std::vector<std::unique_ptr<MovingSolid>> moving_;
  std::vector<const MovingSolid*> pointers_;
};

Solid sphereAt(const Vec3& center, double radius_m) {
  Solid solid;
  solid.head = center;
  solid.head_radius_m = radius_m;
  return solid;
}

Solid capsuleAt(const Vec3& head, const Vec3& tail, double head_radius_m, double tail_radius_m) {
  Solid solid = sphereAt(head, head_radius_m);
  solid.shape = ColliderShape::kCapsule;
  solid.tail = tail;
  solid.tail_radius_m = tail_radius_m;
  return solid;
}

Solid planeAt(const Vec3& point, const Vec3& normal) {
  Solid solid;
  solid.shape = ColliderShape::kPlane;
  solid.head = point;
  solid.normal = normal;
  return solid;
}

Solid boxAt(const Vec3& center, const Vec3& half_size) {
  Solid solid;
  solid.shape = ColliderShape::kBox;
  solid.head = center;
  solid.half_size = half_size;
  return solid;
}

// A bone that rests at `before` and that forces take to `end`, both at the same length.
BoneStep boneStep(const Vec3& head, const Vec3& before, const Vec3& end, double radius_m = 0.0) {
  BoneStep bone;
  bone.head_before = bone.head = head;
  bone.end_before = before;
  bone.end = end;
  bone.length_m = glm::length(end - head);
  bone.head_radius_m = bone.end_radius_m = radius_m;
  return bone;
}

Vec3 inXY(double angle_rad) { return Vec3(portable::cos(angle_rad), portable::sin(angle_rad), 0); }

Place at(const Vec3& position) { return {kIdentityRotation, position}; }

}  // namespace

TEST_CASE("the end of a bone that enters a sphere stops on the circle where both spheres meet") {
  // Length 3 about 0, sphere of radius 3.5 + 0.5 at (6, 0, 0): the circle has x = (36 + 9 - 16) /
  // 12 = 29 / 12, at an angle of 0.6335.
  World world;
  world.add(sphereAt(Vec3(6, 0, 0), 3.5));
  const double x = 29.0 / 12.0;
  for (const double angle : {0.05, 0.3, 0.63}) {
    const ContactResult result =
        world.resolve(boneStep(Vec3(0), 3.0 * inXY(0.9), 3.0 * inXY(angle), 0.5));
    CHECK(result.touched);
    CHECK(distance(result.end, Vec3(x, std::sqrt(9.0 - x * x), 0)) < 1e-12);
    CHECK(result.left_m == 0.0);
  }
  CHECK_FALSE(world.resolve(boneStep(Vec3(0), 3.0 * inXY(0.9), 3.0 * inXY(0.64), 0.5)).touched);
}

TEST_CASE("a bone whose middle crosses a sphere is turned until its side is tangent to it") {
  // Sphere of radius 0.3 at distance 1, bone of radius 0.1: sin(angle) = 0.4.
  World world;
  world.add(sphereAt(Vec3(1, 0, 0), 0.3));
  const BoneStep bone = boneStep(Vec3(0), 3.0 * inXY(0.5), 3.0 * inXY(0.1), 0.1);
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.touched);
  CHECK(distance(result.end, 3.0 * Vec3(std::sqrt(0.84), 0.4, 0)) < 1e-12);
}

TEST_CASE("a tapered bone is tangent along its side") {
  // The angle between bone and centre is acos(-(0.2 - 0.5) / 3) - acos((0.5 + 0.5) / 2): the normal
  // is at 60 degrees from the centre line, the side at asin(0.1) from the axis.
  World world;
  world.add(sphereAt(Vec3(2, 0, 0), 0.5));
  BoneStep bone = boneStep(Vec3(0), 3.0 * inXY(1.0), 3.0 * inXY(0.1));
  bone.head_radius_m = 0.5;
  bone.end_radius_m = 0.2;
  const double angle = portable::acos(0.1) - portable::acos(0.5);
  CHECK(distance(world.resolve(bone).end, 3.0 * inXY(angle)) < 1e-12);
}

TEST_CASE("the end of a bone that enters a plane stops on the circle at its radius above it") {
  World world;
  world.add(planeAt(Vec3(0, -1, 0), Vec3(0, 1, 0)));
  const BoneStep bone = boneStep(Vec3(0), 2.0 * inXY(-0.2), 2.0 * inXY(-1.2), 0.25);
  const Vec3 end = world.resolve(bone).end;
  CHECK(distance(end, Vec3(std::sqrt(4.0 - 0.5625), -0.75, 0)) < 1e-12);
}

TEST_CASE("a bone in a hollow sphere stays inside") {
  // |end| = 2 about (1, 0, 0), |end - 0| <= 2.5 - 0.5: x = 1 + (4 - 1 - 4) / 2 = 0.5.
  World world;
  Solid hollow = sphereAt(Vec3(0), 2.5);
  hollow.inside = true;
  world.add(hollow);
  const BoneStep bone = boneStep(Vec3(1, 0, 0), Vec3(1, 0, 0) + 2.0 * inXY(2.5),
                                 Vec3(1, 0, 0) + 2.0 * inXY(0.3), 0.5);
  const Vec3 end = world.resolve(bone).end;
  CHECK(distance(end, Vec3(0.5, std::sqrt(4.0 - 0.25), 0)) < 1e-12);
}

TEST_CASE("a bone that is away from all solids stays bit for bit") {
  World world;
  world.add(sphereAt(Vec3(1, 0, 0), 0.3));
  world.add(boxAt(Vec3(0, 1, 0), Vec3(0.2)));
  const BoneStep bone = boneStep(Vec3(0), -inXY(0.1), -inXY(0.2), 0.05);
  const ContactResult result = world.resolve(bone);
  CHECK_FALSE(result.touched);
  CHECK(result.end == bone.end);
  CHECK(result.end_before == bone.end_before);
  CHECK(resolveContacts({}, bone).end == bone.end);
}

TEST_CASE(
    "where the head is too deep in a solid the bone points straight out and says what is left") {
  World world;
  world.add(sphereAt(Vec3(0), 1.0));
  const BoneStep bone = boneStep(Vec3(0.5, 0, 0), Vec3(0.5, 0.2, 0), Vec3(0.5, 0.2, 0));
  const ContactResult result = world.resolve(bone);
  CHECK(distance(result.end, Vec3(0.7, 0, 0)) < 1e-12);
  CHECK(result.left_m == doctest::Approx(0.3).epsilon(1e-12));
}

TEST_CASE("a bone that begins in a solid ends outside and goes no deeper on its way") {
  // Through the sphere the end would be out, but the middle deeper than the head.
  World world;
  world.add(sphereAt(Vec3(0), 1.0));
  const Vec3 head(0.9, 0, 0);
  const BoneStep bone = boneStep(head, head + 3.0 * inXY(2.9), head + 3.0 * inXY(2.8));
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.touched);
  CHECK(std::abs(glm::length(result.end - head) - 3.0) < 1e-12);
  // Tangent at the head's depth: square to the radius there.
  CHECK(std::abs(result.end.x - 0.9) < 1e-9);
}

TEST_CASE("a bone between two solids that both push rests on both") {
  World world;
  world.add(sphereAt(Vec3(0.5, -1, 0), 0.45));
  world.add(capsuleAt(Vec3(-0.6, -1, -1), Vec3(-0.5, -1, 1), 0.4, 0.5));
  world.add(planeAt(Vec3(0, 0, 0.1), Vec3(0, 0, 1)));
  const Vec3 target = glm::normalize(Vec3(0.02, -1, 0.05));
  BoneStep bone = boneStep(Vec3(0), target, target, 0.03);
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.touched);
  CHECK(result.left_m == 0.0);
  CHECK(world.penetration(bone, result.end) < 1e-7);
}

TEST_CASE(
    "no bone is left in a solid: a hundred thousand configurations against sampled distance") {
  Random random(11);
  int touched = 0, stuck = 0;
  for (int i = 0; i < 100000; ++i) {
    const Solid solid = test::randomSolid(random);
    const Place now = test::randomPlace(random);
    const Place before = {random.rotation(0.02) * now.rotation,
                          now.position + random.vector(0.005)};
    World world;
    world.add(solid, before, now);
    BoneStep bone;
    bone.head = random.vector(0.4);
    if (random.isChance(0.02)) bone.head = now.toWorld(solid.head);
    bone.head_before = bone.head + random.vector(0.003);
    bone.length_m = random.isChance(0.02) ? 0.0 : random.number(0.02, 0.4);
    bone.end = bone.head + random.direction() * bone.length_m;
    bone.end_before = bone.end + random.vector(0.01);
    bone.head_radius_m = random.isChance(0.3) ? 0.0 : random.number(0.0, 0.03);
    bone.end_radius_m = random.isChance(0.3) ? bone.head_radius_m : random.number(0.0, 0.03);
    bone.friction = random.isChance(0.5) ? 0.0 : random.number(0.0, 2.0);
    bone.restitution = random.isChance(0.5) ? 0.0 : 0.5;
    const ContactResult result = world.resolve(bone);
    REQUIRE(isFinite(result.end));
    REQUIRE(isFinite(result.end_before));
    CHECK(std::abs(glm::length(result.end - bone.head) - bone.length_m) < 1e-12);
    const double depth = test::sampledPenetration(solid, now, bone.head, result.end,
                                                  bone.head_radius_m, bone.end_radius_m, 24, 36);
    CHECK(depth <= result.left_m + 1e-6);
    touched += result.touched;
    if (!(result.left_m > 1e-6)) continue;
    ++stuck;
    // Nothing of what can be reached is better.
    double least = result.left_m;
    for (int k = 0; k < 100; ++k) {
      const Vec3 other = bone.head + random.direction() * bone.length_m;
      least = std::min(
          least, penetration(solid, now, bone.head, other, bone.head_radius_m, bone.end_radius_m));
    }
    CHECK(least > result.left_m - 1e-6);
  }
  CHECK(touched > 10000);
  CHECK(stuck > 500);
}

TEST_CASE("penetration is that found by search along the bone") {
  Random random(12);
  for (int i = 0; i < 3000; ++i) {
    const Solid solid = test::randomSolid(random);
    const Place place = test::randomPlace(random);
    const Vec3 head = random.vector(0.4);
    const Vec3 end = random.isChance(0.05) ? head : head + random.vector(0.3);
    const double head_radius = random.number(0.0, 0.05), end_radius = random.number(0.0, 0.05);
    const double found = penetration(solid, place, head, end, head_radius, end_radius);
    CHECK(std::abs(found - test::searchedPenetration(solid, place, head, end, head_radius,
                                                     end_radius)) < 1e-9);
  }
}

TEST_CASE("no fast collider gets to the other side of a bone") {
  // A bone hangs from the origin. Solids as thin as 1 cm come from -x at 20 m/s and stop at +x.
  const std::vector<Solid> solids = {sphereAt(Vec3(0), 0.01),
                                     capsuleAt(Vec3(0, 0, -0.2), Vec3(0, 0, 0.2), 0.01, 0.01),
                                     capsuleAt(Vec3(0, 0, -0.2), Vec3(0, 0, 0.2), 0.02, 0.005),
                                     boxAt(Vec3(0), Vec3(0.01, 0.05, 0.08))};
  for (const Solid& solid : solids) {
    for (const double step_s : {1.0 / 30.0, kStep_s}) {
      for (const double height : {-0.12, -0.2, -0.28}) {
        for (const double phase : {0.0, 0.35, 0.8}) {
          const double way = 20.0 * step_s;
          Vec3 end(0, -0.3, 0);
          double x = -0.05 - way * (1.0 + phase);
          while (x < 0.06) {
            const double next = std::min(x + way, 0.06);
            World world;
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

TEST_CASE("a fast collider does in one step what it does in many small ones") {
  const std::vector<Solid> solids = {sphereAt(Vec3(0), 0.02),
                                     capsuleAt(Vec3(0, -0.1, -0.2), Vec3(0, 0.05, 0.2), 0.02, 0.01),
                                     boxAt(Vec3(0), Vec3(0.01, 0.02, 0.01))};
  for (const Solid& solid : solids) {
    for (const double beside : {0.003, -0.008, 0.006}) {
      const Vec3 from(-0.05, -0.15, beside), to(0.05, -0.16, beside);
      const Vec3 hanging(0, -0.3, 0);
      World world;
      world.add(solid, at(from), at(to));
      const Vec3 at_once = world.resolve(boneStep(Vec3(0), hanging, hanging, 0.002)).end;
      Vec3 end = hanging;
      const int parts = 1000;
      for (int i = 0; i < parts; ++i) {
        World part;
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
      World world;
      world.add(capsuleAt(Vec3(0, -0.35, -1), Vec3(0, -0.35, 1), radius_m, radius_m));
      // The head goes along x; the bone hangs and follows.
      const double way = std::min(20.0 * step_s, 0.3);
      for (double x = -0.013 - way; x < 0.2; x += way) {
        BoneStep bone = boneStep(Vec3(x + way, 0, 0), Vec3(x, -0.5, 0), Vec3(x + way, -0.5, 0));
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

TEST_CASE("a rod that turns fast about an axle sweeps a bone along") {
  World world;
  const Quat turn = rotationAbout(Vec3(0, 1, 0), 1.5);
  world.add(capsuleAt(Vec3(0.05, 0, 0), Vec3(0.4, 0, 0), 0.008, 0.008),
            {rotationAbout(Vec3(0, 1, 0), 0.2), Vec3(0)}, {turn, Vec3(0)});
  // The rod goes from 0.2 to 1.5 rad about +y, over a bone that crosses its plane at 0.8 rad.
  const Vec3 crossing = rotationAbout(Vec3(0, 1, 0), 0.8) * Vec3(0.2, 0, 0);
  const BoneStep bone =
      boneStep(crossing + Vec3(0, 0.3, 0), crossing - Vec3(0, 0.2, 0), crossing - Vec3(0, 0.2, 0));
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.touched);
  CHECK(world.penetration(bone, result.end) < 1e-6);
  const Vec3 pierces = bone.head + (result.end - bone.head) * (0.3 / (0.3 - result.end.y));
  CHECK((glm::conjugate(turn) * pierces).z < 0.0);
}

TEST_CASE("solids that move along with the bone count by their motion relative to it") {
  // Both go 1 m; a bone at rest on the sphere stays there without a sweep.
  World world;
  world.add(sphereAt(Vec3(0), 0.01), at(Vec3(0)), at(Vec3(1, 0, 0)));
  BoneStep bone = boneStep(Vec3(1, 0.3, 0), Vec3(0, 0.01, 0), Vec3(1, 0.01 - 1e-4, 0));
  bone.head_before = Vec3(0, 0.3, 0);
  bone.length_m = 0.29 + 1e-4;
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.touched);
  CHECK(world.penetration(bone, result.end) < 1e-8);
}

TEST_CASE("on a slope the end of a bone holds below the angle of friction and slides above it") {
  const double friction = 0.5;
  const double gravity = 9.81, length = 5.0;
  for (const double more_deg : {-1.0, 1.0, 13.0}) {
    const double slope = portable::atan(friction) + more_deg * kDegree;
    World world;
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
  World world;
  const Vec3 way(0, 0, 0.001);
  world.add(planeAt(Vec3(0), Vec3(0, 1, 0)), at(Vec3(0)), at(way));
  BoneStep bone = boneStep(Vec3(0), Vec3(1, 0, 0), glm::normalize(Vec3(1, -0.01, 0)));
  bone.friction = 1.0;
  const ContactResult result = world.resolve(bone);
  CHECK(std::abs(result.end.z - 0.001) < 1e-6);
  CHECK(std::abs((result.end - result.end_before).z - 0.001) < 1e-6);
  // With less grip by the friction times the way that was taken, 0.01.
  bone.friction = 0.04;
  CHECK(std::abs(world.resolve(bone).end.z - 0.0004) < 2e-6);
}

TEST_CASE("a bone bounces off with a part of the speed relative to the surface") {
  for (const double restitution : {0.0, 0.5, 1.0}) {
    for (const double surface : {0.0, 0.004, -0.002}) {
      World world;
      world.add(planeAt(Vec3(0), Vec3(0, 1, 0)), at(Vec3(0, -surface, 0)), at(Vec3(0)));
      const double down = 0.01, across = 0.003;
      BoneStep bone = boneStep(Vec3(0), Vec3(10, down / 2, 0),
                               10.0 * glm::normalize(Vec3(10, -down / 2, across)));
      bone.restitution = restitution;
      const ContactResult result = world.resolve(bone);
      REQUIRE(result.touched);
      const Vec3 way = result.end - result.end_before;
      CHECK(std::abs(result.end.y) < 1e-9);
      CHECK(std::abs(way.y - (surface + restitution * (down + surface))) < 1e-5);
      CHECK(std::abs(way.z - across) < 1e-5);
    }
  }
}

TEST_CASE("a contact part way along the bone takes speed as its lever says") {
  // The sphere rises by 1 mm under the middle of a level bone: the end must rise by 2 mm.
  World world;
  world.add(sphereAt(Vec3(0.5, -0.1, 0), 0.1), at(Vec3(0, -0.001, 0)), at(Vec3(0)));
  const BoneStep bone = boneStep(Vec3(0), Vec3(1, -0.002, 0), glm::normalize(Vec3(1, -0.004, 0)));
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.touched);
  CHECK(std::abs(result.end.y) < 1e-9);
  CHECK(std::abs((result.end - result.end_before).y - 0.002) < 2e-5);
}

namespace {

// A random step of a bone among three solids.
struct Trial {
  std::vector<Solid> solids;
  std::vector<Place> before, now;
  BoneStep bone;
};

Trial randomTrial(Random& random, double speed) {
  Trial trial;
  for (int i = 0; i < 3; ++i) {
    trial.solids.push_back(test::randomSolid(random, false));
    trial.now.push_back(test::randomPlace(random));
    trial.before.push_back({random.rotation(speed) * trial.now.back().rotation,
                            trial.now.back().position + random.vector(0.1 * speed)});
  }
  BoneStep& bone = trial.bone;
  bone.head = random.vector(0.4);
  bone.head_before = bone.head + random.vector(0.1 * speed);
  bone.length_m = random.number(0.1, 0.3);
  const Vec3 direction = random.direction();
  bone.end = bone.head + direction * bone.length_m;
  bone.end_before =
      bone.head_before + glm::normalize(direction + random.vector(speed)) * bone.length_m;
  bone.head_radius_m = 0.01;
  bone.end_radius_m = 0.02;
  bone.friction = 0.3;
  bone.restitution = 0.2;
  return trial;
}

ContactResult resolve(const Trial& trial) {
  World world;
  for (std::size_t i = 0; i < trial.solids.size(); ++i) {
    world.add(trial.solids[i], trial.before[i], trial.now[i]);
  }
  return world.resolve(trial.bone);
}

template <class Turn>
void mapPoints(BoneStep& bone, Turn&& turn) {
  bone.head = turn(bone.head);
  bone.head_before = turn(bone.head_before);
  bone.end = turn(bone.end);
  bone.end_before = turn(bone.end_before);
}

}  // namespace

TEST_CASE("what happens does not depend on where in the world it does") {
  // A bone whose head is in a solid and that may not go deeper leaves it with the square of its
  // angle: there the angle is known to the root of the tolerance only.
  int inexact = 0;
  Random random(21);
  for (int i = 0; i < 2000; ++i) {
    const Trial trial = randomTrial(random, i % 2 ? 0.02 : 0.5);
    const Place moved = {random.rotation(), random.vector(2.0)};
    Trial other = trial;
    for (Place* place : {&other.before[0], &other.before[1], &other.before[2], &other.now[0],
                         &other.now[1], &other.now[2]}) {
      *place = {moved.rotation * place->rotation, moved.toWorld(place->position)};
    }
    mapPoints(other.bone, [&](const Vec3& p) { return moved.toWorld(p); });
    const ContactResult a = resolve(trial), b = resolve(other);
    CHECK(a.touched == b.touched);
    const double end = distance(moved.toWorld(a.end), b.end);
    const double end_before = distance(moved.toWorld(a.end_before), b.end_before);
    inexact += std::max(end, end_before) > 1e-6;
    CHECK(std::max(end, end_before) < 2e-4);
  }
  CHECK(inexact <= 2);
}

TEST_CASE("what happens in the mirror is its mirror image") {
  const auto mirror = [](const Vec3& p) { return Vec3(-p.x, p.y, p.z); };
  const auto mirrorTurn = [](const Quat& q) { return Quat(q.w, q.x, -q.y, -q.z); };
  Random random(22);
  for (int i = 0; i < 2000; ++i) {
    const Trial trial = randomTrial(random, i % 2 ? 0.02 : 0.5);
    Trial other = trial;
    for (std::size_t k = 0; k < 3; ++k) {
      Solid& solid = other.solids[k];
      solid.head = mirror(solid.head);
      solid.tail = mirror(solid.tail);
      solid.normal = mirror(solid.normal);
      solid.rotation = mirrorTurn(solid.rotation);
      for (Place* place : {&other.before[k], &other.now[k]}) {
        *place = {mirrorTurn(place->rotation), mirror(place->position)};
      }
    }
    mapPoints(other.bone, mirror);
    const ContactResult a = resolve(trial), b = resolve(other);
    CHECK(a.touched == b.touched);
    CHECK(distance(mirror(a.end), b.end) < 1e-6);
    CHECK(distance(mirror(a.end_before), b.end_before) < 1e-6);
  }
}

TEST_CASE("degenerate bones and solids give numbers, and no bone changes its length") {
  std::vector<Solid> solids = {sphereAt(Vec3(0), 0.0),
                               sphereAt(Vec3(0), 1.0),
                               capsuleAt(Vec3(0), Vec3(0), 0.5, 0.5),
                               capsuleAt(Vec3(0), Vec3(0, 0.1, 0), 0.9, 0.1),
                               capsuleAt(Vec3(0), Vec3(0, 1, 0), 0.0, 0.0),
                               boxAt(Vec3(0), Vec3(0)),
                               boxAt(Vec3(0), Vec3(0.5, 0.5, 0)),
                               planeAt(Vec3(0), Vec3(0, 1, 0))};
  for (std::size_t i = 0; i < 4; ++i) {
    solids.push_back(solids[i]);
    solids.back().inside = true;
  }
  for (const Solid& solid : solids) {
    for (const Vec3& head : {Vec3(0), Vec3(0, 0.5, 0), Vec3(0.2, 0, 0)}) {
      for (const Vec3& way : {Vec3(0), Vec3(0, -0.5, 0), Vec3(0, 0.5, 0), Vec3(-0.2, 0, 0)}) {
        for (const double radius_m : {0.0, 0.1}) {
          World world;
          world.add(solid, at(Vec3(0, 0, 0.3)), at(Vec3(0)));
          BoneStep bone = boneStep(head, head + way, head + way, radius_m);
          bone.friction = bone.restitution = 0.5;
          const ContactResult result = world.resolve(bone);
          REQUIRE(isFinite(result.end));
          REQUIRE(isFinite(result.end_before));
          REQUIRE(std::isfinite(result.left_m));
          CHECK(std::abs(glm::length(result.end - head) - bone.length_m) < 1e-12);
        }
      }
    }
  }
}

TEST_CASE("more solids than fit the list of near ones are all avoided") {
  World world;
  for (int i = 0; i < 80; ++i) world.add(sphereAt(Vec3(0.001 * i, -0.5, 0), 0.1));
  const BoneStep bone = boneStep(Vec3(0), Vec3(0.9, 0.1, 0), Vec3(0.05, -0.5, 0.01));
  const ContactResult result = world.resolve(bone);
  CHECK(result.touched);
  CHECK(world.penetration(bone, result.end) < 1e-6);
}

TEST_SUITE_END();
