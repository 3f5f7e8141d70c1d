// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "checks.h"
#include "core/to_size.h"
#include "human_scene.h"
#include "locomotion/foot_contacts.h"

TEST_SUITE_BEGIN("locomotion.made_contacts");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

// A walk whose footfalls are known: each foot is at rest for the first 0.6 of its cycle, and moves
// to its next position in the remainder, with the speed of a half sine.
struct MadeWalk {
  double cycle_s = 1.0, stance = 0.6, stride_m = 1.2, lift_m = 0.1, length_s = 6.0;
  Vec3 start_m{0.0};
  std::function<double(const Vec3&)> ground_m = [](const Vec3&) { return 0.0; };
  bool on_spot = false;  // on ground that moves back
  double metres_per_unit = 1.0;
  Quat metric_from_file = kIdentityRotation;

  double shift(BodySide side) const { return side == BodySide::kLeft ? 0.0 : 0.5 * cycle_s; }

  // Position of the sole below the ankle, on ground that rests.
  Vec3 footAt(BodySide side, double time_s) const {
    const double cycles = (time_s + shift(side)) / cycle_s;
    const double n = std::floor(cycles), phase = cycles - n;
    const double u = std::max(0.0, phase - stance) / (1.0 - stance);
    const double x = side == BodySide::kLeft ? 0.1 : -0.1;
    const double behind = side == BodySide::kLeft ? 0.0 : 0.5;
    const auto footfall = [&](double k) {
      Vec3 at = start_m + Vec3(x, 0.0, stride_m * (k - behind));
      at.y = ground_m(at);
      return at;
    };
    const double part = 0.5 - 0.5 * std::cos(kPi * u);
    Vec3 at = footfall(n) + part * (footfall(n + 1.0) - footfall(n));
    at.y += lift_m * std::sin(kPi * u) * std::sin(kPi * u) * (u > 0.0 ? 1.0 : 0.0);
    return at;
  }

  Vec3 bodyAt(double time_s) const {
    Vec3 at = start_m + Vec3(0.0, 0.0, stride_m / cycle_s * (time_s + 0.3 * cycle_s));
    at.y = 0.9 + ground_m(at);
    return at;
  }

  std::vector<TimeSpan> contacts(BodySide side) const {
    std::vector<TimeSpan> spans;
    for (double n = -1.0; n * cycle_s < length_s + cycle_s; n += 1.0) {
      const double start_s = n * cycle_s - shift(side), end_s = start_s + stance * cycle_s;
      const TimeSpan span{std::max(0.0, start_s), std::min(length_s, end_s)};
      if (span.length() > 1e-9) spans.push_back(span);
    }
    return spans;
  }
};

struct MadeScene {
  Scene scene;
  HumanoidMap map;
  Motion motion;
};

MadeScene make(const MadeWalk& walk, double fps = 30.0) {
  HumanScene human = humanScene(plainNames());
  MadeScene made;
  made.scene = std::move(human.scene);
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) made.map.nodes[i] = human.nodes[i];
  made.map.origin = HumanoidMap::Origin::kGiven;
  made.map.confidence = 1.0;
  const Mat3 metric_from_file = glm::mat3_cast(walk.metric_from_file) * walk.metres_per_unit;
  const Mat3 file_from_metric = glm::inverse(metric_from_file);
  made.scene.metric_from_file.linear = metric_from_file;
  Motion& motion = made.motion;
  motion.clip_name = "walk";
  motion.grid = makeGrid(0.0, walk.length_s, fps);
  motion.node_count = made.scene.skeleton.size();
  motion.modified = TrackMask(motion.node_count);
  const auto at = [&](HumanoidRole role) { return toSize(human.at(role)); };
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    std::vector<Transform> locals;
    for (const Node& node : made.scene.skeleton.nodes) locals.push_back(node.rest);
    const double time_s = motion.grid.timeOf(i);
    const double back_m = walk.on_spot ? walk.stride_m / walk.cycle_s * time_s : 0.0;
    const Vec3 body = walk.bodyAt(time_s) - Vec3(0.0, 0.0, back_m);
    locals[at(HumanoidRole::kHips)].translation = body;
    for (const BodySide side : kBodySides) {
      const bool is_left = side == BodySide::kLeft;
      const auto upper = at(is_left ? HumanoidRole::kLeftUpperLeg : HumanoidRole::kRightUpperLeg);
      const auto lower = at(is_left ? HumanoidRole::kLeftLowerLeg : HumanoidRole::kRightLowerLeg);
      const auto foot = at(is_left ? HumanoidRole::kLeftFoot : HumanoidRole::kRightFoot);
      const Vec3 ankle = walk.footAt(side, time_s) + Vec3(0.0, 0.08, 0.0) - Vec3(0.0, 0.0, back_m);
      const Vec3 shin = body + locals[upper].translation + locals[lower].translation;
      locals[foot].translation = ankle - shin;
    }
    for (Transform& local : locals) local.translation = file_from_metric * local.translation;
    motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
  }
  for (Node& node : made.scene.skeleton.nodes) {
    node.rest.translation = file_from_metric * node.rest.translation;
  }
  return made;
}

// Starts and ends of the contacts of heels and balls are those of the walk to within two frames of
// 30 a second, and there are no others.
void checkContacts(const MadeWalk& walk) {
  constexpr double kSlack_s = 2.0 / 30.0;
  const MadeScene made = make(walk);
  const FeetTrace trace = traceFeet(made.scene, made.map, made.motion);
  REQUIRE(trace.feet.size() == 2);
  for (const FootTrace& foot : trace.feet) {
    const std::vector<TimeSpan> known = walk.contacts(foot.marks.side);
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
