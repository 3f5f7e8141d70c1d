// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/two_bone_ik.h"

#include <cmath>

#include "anim/make_motion.h"
#include "anim/pose.h"
#include "checks.h"
#include "random.h"

TEST_SUITE_BEGIN("anim.two_bone_ik");

using namespace clipmill;
using test::distance;

namespace {

// Straight down from the origin, bends towards +z.
TwoBoneLimb straightLimb(double upper, double lower) {
  return {Vec3(0.0), Vec3(0, -upper, 0), Vec3(0, -upper - lower, 0), Vec3(0, 0, 1)};
}

// A thigh of 0.43 and a shin of 0.415, bent by 120 degrees.
TwoBoneLimb bentLimb() {
  TwoBoneLimb limb{Vec3(0.1, 0.9, 0.0), Vec3(0.0), Vec3(0.0), Vec3(0, 0, 1)};
  limb.middle = limb.root + 0.43 * glm::normalize(Vec3(0.05, -1.0, 0.6));
  limb.end = limb.middle + 0.415 * glm::normalize(Vec3(0.02, -0.8, -0.7));
  return limb;
}

// The bones after the rotations must agree with the reported reach.
void checkRotations(const TwoBoneLimb& limb, const TwoBoneReach& reach) {
  const Vec3 middle = limb.root + reach.upper_rotation * (limb.middle - limb.root);
  CHECK(distance(middle, reach.middle) < 1e-12);
  CHECK(distance(middle + reach.lower_rotation * (limb.end - limb.middle), reach.end) < 1e-12);
}

}  // namespace

TEST_CASE("a limb of 3 and 4 that reaches 5 has a right angle") {
  const TwoBoneLimb limb = straightLimb(3, 4);
  const TwoBoneReach reach = reachWithTwoBones(limb, Vec3(0, -5, 0));
  // The foot of the height of the triangle is 9/5 from the root, the height 12/5.
  CHECK(distance(reach.middle, Vec3(0, -1.8, 2.4)) < 1e-12);
  CHECK(distance(reach.end, Vec3(0, -5, 0)) < 1e-12);
  CHECK(reach.short_by < 1e-12);
  checkRotations(limb, reach);
}

TEST_CASE("targets within reach are reached, and bones keep their lengths") {
  test::Random random(7);
  const TwoBoneLimb limb = bentLimb();
  for (int i = 0; i < 1000; ++i) {
    const Vec3 direction = glm::normalize(random.vector(1.0) - Vec3(0, 0.8, 0));
    const double length = 0.02 + 0.41 * (1.0 + random.number(-1.0, 1.0));
    const Vec3 target = limb.root + direction * std::min(length, 0.845 - 1e-9);
    const TwoBoneReach reach = reachWithTwoBones(limb, target);
    CHECK(distance(reach.end, target) < 1e-12);
    CHECK(reach.short_by < 1e-12);
    CHECK(std::abs(glm::length(reach.middle - limb.root) - 0.43) < 1e-12);
    CHECK(std::abs(glm::length(reach.end - reach.middle) - 0.415) < 1e-12);
    checkRotations(limb, reach);
  }
}

TEST_CASE("a limb that is where it should be does not rotate") {
  const TwoBoneLimb limb = bentLimb();
  const TwoBoneReach reach = reachWithTwoBones(limb, limb.end, 0.02);
  CHECK(angleBetween(reach.upper_rotation, kIdentityRotation) < 1e-12);
  CHECK(angleBetween(reach.lower_rotation, kIdentityRotation) < 1e-12);
}

TEST_CASE("a bent limb keeps its plane and is rotated by the shortest arc") {
  const TwoBoneLimb limb = bentLimb();
  const Vec3 to_end = limb.end - limb.root;
  const Vec3 axis = glm::normalize(glm::cross(to_end, Vec3(1, 0, 0)));
  const Quat rotation = rotationAbout(axis, 0.4);
  const TwoBoneReach reach = reachWithTwoBones(limb, limb.root + rotation * to_end);
  CHECK(angleBetween(reach.upper_rotation, rotation) < 1e-12);
  CHECK(angleBetween(reach.lower_rotation, rotation) < 1e-12);
  // Drawn nearer it stays in the plane of its three joints.
  const Vec3 normal = glm::cross(limb.middle - limb.root, to_end);
  const TwoBoneReach nearer = reachWithTwoBones(limb, limb.root + 0.8 * to_end);
  CHECK(std::abs(glm::dot(nearer.middle - limb.root, normal)) < 1e-12);
  CHECK(glm::dot(nearer.middle - limb.root, limb.middle - limb.root) > 0.0);
}

TEST_CASE(
    "out of reach the limb is straight, towards the target, and reports the missing distance") {
  const TwoBoneLimb limb = bentLimb();
  const Vec3 direction = glm::normalize(Vec3(0.3, -1.0, 0.5));
  const TwoBoneReach reach = reachWithTwoBones(limb, limb.root + 2.0 * direction);
  CHECK(distance(reach.end, limb.root + 0.845 * direction) < 1e-12);
  CHECK(distance(reach.middle, limb.root + 0.43 * direction) < 1e-7);
  CHECK(std::abs(reach.short_by - 1.155) < 1e-12);
  checkRotations(limb, reach);
  // Too near for bones of different lengths.
  const TwoBoneReach near = reachWithTwoBones(straightLimb(1.0, 0.4), Vec3(0, -0.5, 0));
  CHECK(distance(near.end, Vec3(0, -0.6, 0)) < 1e-12);
  CHECK(std::abs(near.short_by - 0.1) < 1e-12);
}

TEST_CASE("the soft range is never used up, and targets before it are reached exactly") {
  const TwoBoneLimb limb = reachWithTwoBones(straightLimb(0.5, 0.5), Vec3(0, -0.7, 0)).end.y < 0.0
                               ? TwoBoneLimb{Vec3(0.0), Vec3(0, -0.35, std::sqrt(0.25 - 0.1225)),
                                             Vec3(0, -0.7, 0), Vec3(0, 0, 1)}
                               : TwoBoneLimb{};
  CHECK(reachWithTwoBones(limb, Vec3(0, -0.979, 0), 0.02).short_by < 1e-12);
  // At the full length: 0.02 (1 - 1/e) of the last 0.02.
  const TwoBoneReach full = reachWithTwoBones(limb, Vec3(0, -1, 0), 0.02);
  CHECK(std::abs(-full.end.y - (0.98 + 0.02 * (1.0 - 0.36787944117144233))) < 1e-12);
  CHECK(-reachWithTwoBones(limb, Vec3(0, -1.1, 0), 0.02).end.y < 1.0);
}

TEST_CASE("the middle joint does not snap when a soft limb gets straight") {
  // Bones of 1: the middle joint is sqrt(1 - d^2/4) off the line. With s soft its speed has a bound
  // of about 1 / (2 sqrt(s)) at any speed 1 of the target; without, it has none.
  TwoBoneLimb limb = straightLimb(1, 1);
  const TwoBoneReach bent = reachWithTwoBones(limb, Vec3(0, -1.6, 0));
  limb.middle = bent.middle;
  limb.end = bent.end;
  const double step = 1e-5;
  double fastest_soft = 0.0, fastest_hard = 0.0;
  for (double d = 1.7; d < 2.2; d += step) {
    const auto move = [&](double soft) {
      return glm::length(reachWithTwoBones(limb, Vec3(0, -d - step, 0), soft).middle -
                         reachWithTwoBones(limb, Vec3(0, -d, 0), soft).middle) /
             step;
    };
    fastest_soft = std::max(fastest_soft, move(0.04));
    fastest_hard = std::max(fastest_hard, move(0.0));
  }
  CHECK(fastest_soft < 1.2 / (2.0 * std::sqrt(0.04)));
  CHECK(fastest_hard > 50.0);
}

TEST_CASE("a straight limb bends forward, and one bent back slightly does so without a jump") {
  TwoBoneLimb limb = straightLimb(1, 1);
  CHECK(reachWithTwoBones(limb, Vec3(0, -1.9, 0)).middle.z > 0.3);
  // Overstretched by 1.5 degrees to the back.
  limb.middle = Vec3(0, -std::cos(0.013), -std::sin(0.013));
  limb.end = Vec3(0, -2.0 * std::cos(0.013), 0);
  Vec3 before = limb.middle;
  for (double d = -limb.end.y; d > 1.8; d -= 1e-5) {
    const TwoBoneReach reach = reachWithTwoBones(limb, Vec3(0, -d, 0));
    CHECK(glm::length(reach.middle - before) < 2e-3);
    before = reach.middle;
  }
  CHECK(before.z > 0.4);
}

TEST_CASE("rotated, moved and enlarged limbs reach alike") {
  const TwoBoneLimb limb = bentLimb();
  const Vec3 target(0.3, 0.2, 0.25), shift(3, -2, 5);
  const Quat rotation = rotationAbout(glm::normalize(Vec3(1, 2, -1)), 2.1);
  const auto moved = [&](const Vec3& p) { return shift + 100.0 * (rotation * p); };
  const TwoBoneReach a = reachWithTwoBones(limb, target, 0.02);
  const TwoBoneReach b = reachWithTwoBones(
      {moved(limb.root), moved(limb.middle), moved(limb.end), rotation * limb.forward},
      moved(target), 2.0);
  CHECK(distance(b.middle, moved(a.middle)) < 1e-10);
  CHECK(distance(b.end, moved(a.end)) < 1e-10);
  CHECK(angleBetween(b.upper_rotation, rotation * a.upper_rotation * glm::conjugate(rotation)) <
        1e-11);
  CHECK(angleBetween(b.lower_rotation, rotation * a.lower_rotation * glm::conjugate(rotation)) <
        1e-11);
}

TEST_CASE("limbs without a length stay as they are") {
  const TwoBoneLimb limb{Vec3(0.0), Vec3(0.0), Vec3(0, -1, 0), Vec3(0, 0, 1)};
  const TwoBoneReach reach = reachWithTwoBones(limb, Vec3(1, 0, 0));
  CHECK(reach.upper_rotation == kIdentityRotation);
  CHECK(reach.end == limb.end);
  CHECK(isFinite(reachWithTwoBones(straightLimb(1, 1), Vec3(0.0)).middle));
  TwoBoneLimb no_side = straightLimb(1, 1);
  no_side.forward = Vec3(0.0);
  CHECK(distance(reachWithTwoBones(no_side, Vec3(0, -1.2, 0)).end, Vec3(0, -1.2, 0)) < 1e-12);
}

TEST_CASE("rotations reach their target under scaled and mirrored parents") {
  for (const Vec3& scale : {Vec3(1.0), Vec3(0.01), Vec3(-2, 2, 2), Vec3(2, 2, -2), Vec3(-3.0)}) {
    Skeleton skeleton = test::makeChain(4);
    skeleton.nodes[0].rest.rotation = rotationAbout(glm::normalize(Vec3(1, -2, 3)), 1.3);
    skeleton.nodes[0].rest.scale = scale;
    skeleton.nodes[1].rest.rotation = rotationAbout(Vec3(1, 0, 0), 0.4);
    skeleton.nodes[2].rest.rotation = rotationAbout(Vec3(1, 0, 0), 0.9);
    Pose pose = restPose(skeleton);
    std::vector<Affine> worlds;
    computeWorlds(skeleton, pose.locals, {}, worlds);
    const Vec3 root = worlds[1].translation;
    const Vec3 target = root + std::abs(scale.x) * Vec3(0.9, 0.7, -0.6);
    const TwoBoneReach reach = reachWithTwoBones(
        {root, worlds[2].translation, worlds[3].translation, Vec3(0, 0, 1)}, target);
    pose.locals[1].rotation =
        rotationInParent(worlds[0], reach.upper_rotation) * pose.locals[1].rotation;
    const Affine rotated = {glm::mat3_cast(reach.upper_rotation) * worlds[1].linear, Vec3(0.0)};
    pose.locals[2].rotation =
        rotationInParent(rotated, reach.lower_rotation * glm::conjugate(reach.upper_rotation)) *
        pose.locals[2].rotation;
    computeWorlds(skeleton, pose.locals, {}, worlds);
    CHECK(distance(worlds[2].translation, reach.middle) < 1e-12 * 10);
    CHECK(distance(worlds[3].translation, target) < 1e-12 * 10);
  }
}

TEST_SUITE_END();
