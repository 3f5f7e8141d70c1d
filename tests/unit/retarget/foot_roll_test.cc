// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/foot_roll.h"

#include "anim/pose.h"
#include "checks.h"
#include "sole_walker.h"

TEST_SUITE_BEGIN("retarget.foot_roll");

namespace {

using namespace clipmill;
using namespace clipmill::retarget;
using namespace clipmill::test;
using Role = humanoid::HumanoidRole;

// Soles of the other character are twice as far below the ankle as those of the source.
struct Pair {
  Walker source = makeWalker(3);
  Walker target = makeWalker(3, positionOfRole(Role::kLeftFoot).y);

  // The tilt of the left foot in the middle frame after that of the source rolled by `roll_deg`
  // with its hips and soles `rise_m` higher, and whether others stayed.
  double tiltAfter(double roll_deg, double rise_m = 0.0) {
    for (Walker* walker : {&source, &target}) {
      Transform& foot = walker->local(1, Role::kLeftFoot);
      foot.rotation = foot.rotation * rotationAbout(Vec3(1, 0, 0), roll_deg * kDegree);
    }
    source.local(1, Role::kHips).translation.y += rise_m;
    const auto heights = supportHeights(source.scene, source.map, source.motion);
    REQUIRE(heights);
    const Quat right = target.local(1, Role::kRightFoot).rotation;
    limitFootRoll(onCharacter(source, target, 1.0), *heights, 0.0, target.motion);
    CHECK(target.local(1, Role::kRightFoot).rotation == right);
    std::vector<Affine> worlds;
    computeWorlds(target.scene.skeleton, target.motion.localsOf(1), target.scene.metric_from_file,
                  worlds);
    const Affine& foot = worlds[toSize(target.map[Role::kLeftFoot])];
    std::vector<Affine> rest;
    computeWorlds(target.scene.skeleton, target.motion.localsOf(0), target.scene.metric_from_file,
                  rest);
    return angleBetween(rotationOf(foot), rotationOf(rest[toSize(target.map[Role::kLeftFoot])])) /
           kDegree;
  }
};

}  // namespace

TEST_CASE("A foot whose ankle is twice as high rolls by half of the angle") {
  CHECK(footRollShare(onCharacter(Pair().source, Pair().target, 1.0)) == doctest::Approx(0.5));
  CHECK(footRollShare(onCharacter(Pair().target, Pair().source, 1.0)) == 1.0);
  CHECK(Pair().tiltAfter(20.0) == doctest::Approx(10.0));
  CHECK(Pair().tiltAfter(-20.0) == doctest::Approx(10.0));
}

TEST_CASE("A foot that points, or is in the air, keeps its rotation") {
  CHECK(Pair().tiltAfter(90.0) == doctest::Approx(90.0));
  CHECK(Pair().tiltAfter(20.0, 0.5) == doctest::Approx(20.0));
}

TEST_CASE("The foot of a body that sits keeps its rotation") {
  Pair pair;
  const double height_m = positionOfRole(Role::kHips).y;
  for (const Role role : {Role::kLeftUpperLeg, Role::kRightUpperLeg}) {
    pair.source.local(1, role).translation.y += 0.6 * height_m;
  }
  CHECK(pair.tiltAfter(20.0, -0.6 * height_m) == doctest::Approx(20.0));
}
