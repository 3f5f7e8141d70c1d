// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/contact.h"

#include <cmath>
#include <vector>

#include "checks.h"
#include "random_solids.h"
#include "solid_world.h"
#include "stages/dynamic_bones/colliders/bone_distance.h"

using namespace clipmill;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.contact");

TEST_CASE("the end of a bone that enters a sphere stops on the circle where both spheres meet") {
  // Length 3 about 0, sphere of radius 3.5 + 0.5 at (6, 0, 0): the circle has x = (36 + 9 - 16) /
  // 12 = 29 / 12, at an angle of 0.6335.
  SolidWorld world;
  world.add(sphereAt(Vec3(6, 0, 0), 3.5));
  const double x = 29.0 / 12.0;
  for (const double angle : {0.05, 0.3, 0.63}) {
    const ContactResult result =
        world.resolve(boneStep(Vec3(0), 3.0 * inXY(0.9), 3.0 * inXY(angle), 0.5));
    CHECK(result.has_contact);
    CHECK(distance(result.end, Vec3(x, std::sqrt(9.0 - x * x), 0)) < 1e-12);
    CHECK(result.remaining_m == 0.0);
  }
  CHECK_FALSE(world.resolve(boneStep(Vec3(0), 3.0 * inXY(0.9), 3.0 * inXY(0.64), 0.5)).has_contact);
}

TEST_CASE(
    "a bone whose middle crosses a sphere is rotated until its side is tangent to the sphere") {
  // Sphere of radius 0.3 at distance 1, bone of radius 0.1: sin(angle) = 0.4.
  SolidWorld world;
  world.add(sphereAt(Vec3(1, 0, 0), 0.3));
  const BoneStep bone = boneStep(Vec3(0), 3.0 * inXY(0.5), 3.0 * inXY(0.1), 0.1);
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.has_contact);
  CHECK(distance(result.end, 3.0 * Vec3(std::sqrt(0.84), 0.4, 0)) < 1e-12);
}

TEST_CASE("a tapered bone is tangent along its side") {
  // The angle between bone and centre is acos(-(0.2 - 0.5) / 3) - acos((0.5 + 0.5) / 2): the normal
  // is at 60 degrees from the centre line, the side at asin(0.1) from the axis.
  SolidWorld world;
  world.add(sphereAt(Vec3(2, 0, 0), 0.5));
  BoneStep bone = boneStep(Vec3(0), 3.0 * inXY(1.0), 3.0 * inXY(0.1));
  bone.head_radius_m = 0.5;
  bone.end_radius_m = 0.2;
  const double angle = portable::acos(0.1) - portable::acos(0.5);
  CHECK(distance(world.resolve(bone).end, 3.0 * inXY(angle)) < 1e-12);
}

TEST_CASE("the end of a bone that enters a plane stops on the circle at its radius above it") {
  SolidWorld world;
  world.add(planeAt(Vec3(0, -1, 0), Vec3(0, 1, 0)));
  const BoneStep bone = boneStep(Vec3(0), 2.0 * inXY(-0.2), 2.0 * inXY(-1.2), 0.25);
  const Vec3 end = world.resolve(bone).end;
  CHECK(distance(end, Vec3(std::sqrt(4.0 - 0.5625), -0.75, 0)) < 1e-12);
}

TEST_CASE("a bone in a hollow sphere stays inside") {
  // |end| = 2 about (1, 0, 0), |end - 0| <= 2.5 - 0.5: x = 1 + (4 - 1 - 4) / 2 = 0.5.
  SolidWorld world;
  Solid hollow = sphereAt(Vec3(0), 2.5);
  hollow.inside = true;
  world.add(hollow);
  const BoneStep bone = boneStep(Vec3(1, 0, 0), Vec3(1, 0, 0) + 2.0 * inXY(2.5),
                                 Vec3(1, 0, 0) + 2.0 * inXY(0.3), 0.5);
  const Vec3 end = world.resolve(bone).end;
  CHECK(distance(end, Vec3(0.5, std::sqrt(4.0 - 0.25), 0)) < 1e-12);
}

TEST_CASE("a bone apart from all solids does not change by a bit") {
  SolidWorld world;
  world.add(sphereAt(Vec3(1, 0, 0), 0.3));
  world.add(boxAt(Vec3(0, 1, 0), Vec3(0.2)));
  const BoneStep bone = boneStep(Vec3(0), -inXY(0.1), -inXY(0.2), 0.05);
  const ContactResult result = world.resolve(bone);
  CHECK_FALSE(result.has_contact);
  CHECK(result.end == bone.end);
  CHECK(result.end_before == bone.end_before);
  CHECK(resolveContacts({}, bone).end == bone.end);
}

TEST_CASE(
    "a bone whose head is far inside a solid points straight out and reports the remaining "
    "penetration") {
  SolidWorld world;
  world.add(sphereAt(Vec3(0), 1.0));
  const BoneStep bone = boneStep(Vec3(0.5, 0, 0), Vec3(0.5, 0.2, 0), Vec3(0.5, 0.2, 0));
  const ContactResult result = world.resolve(bone);
  CHECK(distance(result.end, Vec3(0.7, 0, 0)) < 1e-12);
  CHECK(result.remaining_m == nearTo(0.3, 1e-12));
}

TEST_CASE(
    "a bone that starts in a solid ends outside, and its penetration does not grow along it") {
  // Through the sphere the end would be outside, but the middle would penetrate more than the head.
  SolidWorld world;
  world.add(sphereAt(Vec3(0), 1.0));
  const Vec3 head(0.9, 0, 0);
  const BoneStep bone = boneStep(head, head + 3.0 * inXY(2.9), head + 3.0 * inXY(2.8));
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.has_contact);
  CHECK(std::abs(glm::length(result.end - head) - 3.0) < 1e-12);
  // Tangent at the head's depth: square to the radius there.
  CHECK(std::abs(result.end.x - 0.9) < 1e-9);
}

TEST_CASE("a bone that two solids push rests in contact with both") {
  SolidWorld world;
  world.add(sphereAt(Vec3(0.5, -1, 0), 0.45));
  world.add(capsuleAt(Vec3(-0.6, -1, -1), Vec3(-0.5, -1, 1), 0.4, 0.5));
  world.add(planeAt(Vec3(0, 0, 0.1), Vec3(0, 0, 1)));
  const Vec3 target = glm::normalize(Vec3(0.02, -1, 0.05));
  BoneStep bone = boneStep(Vec3(0), target, target, 0.03);
  const ContactResult result = world.resolve(bone);
  REQUIRE(result.has_contact);
  CHECK(result.remaining_m == 0.0);
  CHECK(world.penetration(bone, result.end) < 1e-7);
}

TEST_CASE("no bone penetrates a solid in 100,000 configurations with sampled distances") {
  Random random(11);
  int contact_count = 0, stuck = 0;
  for (int i = 0; i < 100000; ++i) {
    const Solid solid = test::randomSolid(random);
    const RigidPose now = test::randomPose(random);
    const RigidPose before = {random.rotation(0.02) * now.rotation,
                              now.position + random.vector(0.005)};
    SolidWorld world;
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
    CHECK(depth <= result.remaining_m + 1e-6);
    contact_count += result.has_contact;
    if (!(result.remaining_m > 1e-6)) continue;
    ++stuck;
    // No other direction has a smaller penetration.
    double least = result.remaining_m;
    for (int k = 0; k < 100; ++k) {
      const Vec3 other = bone.head + random.direction() * bone.length_m;
      least = std::min(
          least, penetration(solid, now, bone.head, other, bone.head_radius_m, bone.end_radius_m));
    }
    CHECK(least > result.remaining_m - 1e-6);
  }
  CHECK(contact_count > 10000);
  CHECK(stuck > 500);
}

TEST_CASE("penetration equals that found by search along the bone") {
  Random random(12);
  for (int i = 0; i < 3000; ++i) {
    const Solid solid = test::randomSolid(random);
    const RigidPose pose = test::randomPose(random);
    const Vec3 head = random.vector(0.4);
    const Vec3 end = random.isChance(0.05) ? head : head + random.vector(0.3);
    const double head_radius = random.number(0.0, 0.05), end_radius = random.number(0.0, 0.05);
    const double found = penetration(solid, pose, head, end, head_radius, end_radius);
    CHECK(std::abs(found - test::searchedPenetration(solid, pose, head, end, head_radius,
                                                     end_radius)) < 1e-9);
  }
}

TEST_CASE("no bone penetrates a solid by more than the bound of its depth") {
  Random random(13);
  int penetrating = 0, equal = 0;
  for (int i = 0; i < 3000; ++i) {
    const Solid shape = test::randomSolid(random);
    const PosedSolid solid = poseSolid(shape, test::randomPose(random));
    BoneShape bone;
    bone.head = random.vector(0.4);
    bone.end = bone.head + random.vector(0.3);
    bone.length_m = glm::length(bone.end - bone.head);
    bone.head_radius_m = random.number(0.0, 0.05);
    bone.end_radius_m = random.number(0.0, 0.05);
    const double depth_m = -boneDistance(solid, bone).distance_m;
    const double bound_m = depthBound_m(solid, bone);
    CHECK(depth_m <= bound_m + 1e-12);
    penetrating += depth_m > 0.0;
    equal += depth_m == bound_m;
  }
  CHECK(penetrating > 300);
  CHECK(equal > 1000);
}

TEST_SUITE_END();
