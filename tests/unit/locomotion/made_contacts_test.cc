// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "checks.h"
#include "core/to_size.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/made_walk.h"

TEST_SUITE_BEGIN("locomotion.made_contacts");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

// Starts and ends of the contacts of heels and balls are those of the walk to within two frames of
// 30 a second, and there are no others.
// The whole character slides ahead by `skate_mps`.
void checkContacts(const MadeWalk& walk, double skate_mps = 0.0) {
  constexpr double kSlack_s = 2.0 / 30.0;
  MadeScene made = make(walk);
  for (std::size_t i = 0; i < made.motion.grid.frame_count; ++i) {
    const auto hips = toSize(made.map[HumanoidRole::kHips]);
    made.motion.frame(i).locals[hips].translation +=
        skate_mps * made.motion.grid.timeOf(i) * walk.direction();
  }
  ContactLimits limits;
  limits.may_skate = skate_mps > 0.0;
  const FeetTrace trace = traceFeet(made.scene, made.map, made.motion, limits);
  REQUIRE(trace.feet.size() == 2);
  for (const FootTrace& foot : trace.feet) {
    const std::vector<TimeSpan> known = walk.heelRests(foot.marks.side);
    for (const std::vector<TimeSpan>* found : {&foot.heel_on, &foot.ball_on}) {
      REQUIRE(found->size() == known.size());
      for (std::size_t i = 0; i < known.size(); ++i) {
        CHECK(std::abs((*found)[i].start_s - known[i].start_s) < kSlack_s);
        CHECK(std::abs((*found)[i].end_s - known[i].end_s) < kSlack_s);
      }
    }
  }
}

double slopeOf10Degrees() { return std::tan(10.0 * kDegree); }

}  // namespace

TEST_CASE("contacts of a made walk are found on level ground") { checkContacts({}); }

TEST_CASE("contacts are found where planted feet skate along, up to a leg a second") {
  for (const double skate_mps : {0.3, 0.6, 0.9}) {
    INFO("skates at " << skate_mps << " m/s");
    checkContacts({}, skate_mps);
  }
}

TEST_CASE("contacts are found on ground that slopes by 10 degrees up, down and sideways") {
  for (const Vec3& rise : {Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(1, 0, 0)}) {
    INFO("rise " << rise.x << " " << rise.z);
    MadeWalk walk;
    walk.ground_m = [=](const Vec3& at) {
      return slopeOf10Degrees() * (rise.x * at.x + rise.z * at.z);
    };
    checkContacts(walk);
  }
}

TEST_CASE("contacts are found on stairs, up and down") {
  for (const double rise_m : {0.17, -0.17}) {
    INFO("rise " << rise_m);
    MadeWalk walk;
    walk.stride_m = 0.58;  // two steps of 0.29 m
    walk.lift_m = 0.2;
    walk.ground_m = [=](const Vec3& at) { return rise_m * std::floor(at.z / 0.29 + 0.5); };
    checkContacts(walk);
  }
}

TEST_CASE("contacts are found in a world that is 150 m large") {
  MadeWalk far;
  far.start_m = Vec3(150.0, 0.0, -150.0);
  checkContacts(far);
  MadeWalk longer;
  longer.length_s = 125.0;  // 150 m
  checkContacts(longer);
}

TEST_CASE("contacts are found in files with z up, in centimetres, and in both") {
  const Quat z_up = rotationAbout(Vec3(1, 0, 0), -0.5 * kPi);
  for (const auto& [metres, rotation] :
       {std::pair(1.0, z_up), std::pair(0.01, kIdentityRotation), std::pair(0.01, z_up)}) {
    MadeWalk walk;
    walk.metres_per_unit = metres;
    walk.metric_from_file = rotation;
    checkContacts(walk);
  }
}

TEST_CASE("contacts are found on ground that moves under a walk on the spot") {
  MadeWalk walk;
  walk.on_spot = true;
  checkContacts(walk);
  const MadeScene made = make(walk);
  const FeetTrace trace = traceFeet(made.scene, made.map, made.motion);
  CHECK(distance(trace.treadmill_mps, Vec3(0.0, 0.0, -1.2)) < 0.02);
}

TEST_CASE(
    "feet that are drawn up under hips at their height are in the air, those on a box are not") {
  const auto trace = [](double feet_up_m, double hips_up_m) {
    HumanScene human = humanScene(plainNames());
    MadeScene made = make({});
    Motion& motion = made.motion;
    for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
      const auto locals = motion.frame(i).locals;
      for (std::size_t n = 0; n < motion.node_count; ++n) {
        locals[n] = made.scene.skeleton.nodes[n].rest;
      }
      locals[toSize(human.at(HumanoidRole::kHips))].translation.y += hips_up_m;
      for (const HumanoidRole role : {HumanoidRole::kLeftFoot, HumanoidRole::kRightFoot}) {
        locals[toSize(human.at(role))].translation.y += feet_up_m - hips_up_m;
      }
    }
    return traceFeet(made.scene, made.map, motion);
  };
  CHECK(trace(0.0, 0.0).hasContacts());
  CHECK(trace(0.1, 0.0).hasContacts());  // a low step
  CHECK_FALSE(trace(0.4, 0.0).hasContacts());
  CHECK(trace(0.4, 0.4).hasContacts());
}

TEST_SUITE_END();
