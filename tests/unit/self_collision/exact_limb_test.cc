// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_limb.h"

#include <array>
#include <cmath>

#include "anim/pose.h"
#include "checks.h"
#include "human_scene.h"
#include "stages/self_collision/exact_samples.h"

TEST_SUITE_BEGIN("self_collision.exact_limb");

using namespace clipmill;
using namespace clipmill::collision;
using namespace clipmill::test;

namespace {

HumanoidMap mapOf(const HumanScene& human) {
  HumanoidMap map;
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) map.nodes[i] = human.nodes[i];
  return map;
}

// A figure with bent elbows and knees, turned as a whole so that no axis is one of the world.
struct Bent {
  explicit Bent(double metres_per_unit = 1.0)
      : human(humanScene(plainNames())),
        map(mapOf(human)),
        limbs(movableLimbs(human.scene.skeleton, map)) {
    for (Node& node : human.scene.skeleton.nodes) node.rest.translation /= metres_per_unit;
    human.scene.metric_from_file.linear = Mat3(metres_per_unit);
    locals = restPose(human.scene.skeleton).locals;
    locals[0].rotation = rotationAbout(Vec3(0.6, 0.0, 0.8), 0.7);
    bend(HumanoidRole::kLeftLowerArm, Vec3(0, -1, 0), 0.9);
    bend(HumanoidRole::kRightLowerArm, Vec3(0, 1, 0), 0.9);
    bend(HumanoidRole::kLeftLowerLeg, Vec3(1, 0, 0), 0.6);
    bend(HumanoidRole::kRightLowerLeg, Vec3(1, 0, 0), 0.6);
  }

  void bend(HumanoidRole role, const Vec3& axis, double angle) {
    locals[static_cast<std::size_t>(human.at(role))].rotation = rotationAbout(axis, angle);
  }
  std::vector<Affine> worldsOf(std::span<const Transform> pose) const {
    std::vector<Affine> worlds;
    computeWorlds(human.scene.skeleton, pose, human.scene.metric_from_file, worlds);
    return worlds;
  }
  std::vector<Affine> changed(std::size_t limb, const LimbChange& change) const {
    const LimbPoser poser(human.scene, map, limbs);
    std::vector<Transform> pose = locals;
    poser.apply(limb, change, worldsOf(locals), pose);
    return worldsOf(pose);
  }

  HumanScene human;
  HumanoidMap map;
  std::vector<MovableLimb> limbs;
  std::vector<Transform> locals;
};

const Affine& at(const std::vector<Affine>& worlds, int node) {
  return worlds[static_cast<std::size_t>(node)];
}

}  // namespace

TEST_CASE("a figure has two arms with collar bones and two legs, each from the body outwards") {
  const Bent figure;
  REQUIRE(figure.limbs.size() == 4);
  CHECK(figure.limbs[0].name == "left arm");
  CHECK(figure.limbs[0].joints().size() == 4);
  CHECK(figure.limbs[3].name == "right leg");
  CHECK(figure.limbs[3].is_leg);
  CHECK(figure.limbs[3].joints().size() == 3);
  HumanoidMap armless = figure.map;
  armless.nodes[static_cast<std::size_t>(HumanoidRole::kLeftHand)] = -1;
  CHECK(movableLimbs(figure.human.scene.skeleton, armless).size() == 3);
  std::swap(armless.nodes[static_cast<std::size_t>(HumanoidRole::kRightHand)],
            armless.nodes[static_cast<std::size_t>(HumanoidRole::kRightUpperArm)]);
  CHECK(movableLimbs(figure.human.scene.skeleton, armless).size() == 2);
}

TEST_CASE("a swivel turns the elbow about the line from shoulder to wrist and leaves the hand") {
  for (const double metres_per_unit : {1.0, 0.01}) {
    const Bent figure(metres_per_unit);
    const auto before = figure.worldsOf(figure.locals);
    LimbChange change;
    change.swivel = 0.5;
    for (std::size_t i = 0; i < 4; ++i) {
      const MovableLimb& limb = figure.limbs[i];
      const auto after = figure.changed(i, change);
      CHECK(distance(at(before, limb.end).translation, at(after, limb.end).translation) < 1e-9);
      CHECK(distance(rotationOf(at(before, limb.end)), rotationOf(at(after, limb.end))) < 1e-7);
      const Vec3 root = at(before, limb.upper).translation;
      const Vec3 line = glm::normalize(at(before, limb.end).translation - root);
      const auto offLine = [&](const std::vector<Affine>& worlds) {
        const Vec3 to_middle = at(worlds, limb.lower).translation - root;
        return to_middle - line * glm::dot(to_middle, line);
      };
      CHECK(angleBetween(offLine(before), offLine(after)) == doctest::Approx(0.5));
      CHECK(glm::length(offLine(after)) == doctest::Approx(glm::length(offLine(before))));
    }
  }
}

TEST_CASE("a shift moves wrist and ankle along the body's axes and keeps the direction of both") {
  const Bent figure;
  const auto before = figure.worldsOf(figure.locals);
  const LimbPoser poser(figure.human.scene, figure.map, figure.limbs);
  LimbChange change;
  change.shift = Vec3(-0.05, 0.04, 0.02);
  for (std::size_t i = 0; i < 4; ++i) {
    const MovableLimb& limb = figure.limbs[i];
    const auto after = figure.changed(i, change);
    const double length =
        glm::distance(at(before, limb.upper).translation, at(before, limb.lower).translation) +
        glm::distance(at(before, limb.lower).translation, at(before, limb.end).translation);
    const Vec3 wanted =
        at(before, limb.end).translation + *poser.axesOf(i, before) * change.shift * length;
    CHECK(distance(at(after, limb.end).translation, wanted) < 1e-9);
    CHECK(distance(rotationOf(at(before, limb.end)), rotationOf(at(after, limb.end))) < 1e-7);
  }
}

TEST_CASE("a turn swings the stiff limb; the hand goes along and the foot does not tilt") {
  const Bent figure;
  const auto before = figure.worldsOf(figure.locals);
  const LimbPoser poser(figure.human.scene, figure.map, figure.limbs);
  LimbChange change;
  change.turn = Vec3(0.0, 0.2, 0.3);
  for (std::size_t i = 0; i < 4; ++i) {
    const MovableLimb& limb = figure.limbs[i];
    const auto after = figure.changed(i, change);
    const Quat turn = rotationOfVector(*poser.axesOf(i, before) * change.turn);
    const Vec3 root = at(before, limb.upper).translation;
    CHECK(distance(at(after, limb.end).translation,
                   root + turn * (at(before, limb.end).translation - root)) < 1e-9);
    const Quat end = rotationOf(at(before, limb.end));
    CHECK(distance(rotationOf(at(after, limb.end)), limb.is_leg ? end : turn * end) < 1e-7);
  }
}

TEST_CASE("a collar bone carries its arm, and no change writes nothing") {
  const Bent figure;
  const auto before = figure.worldsOf(figure.locals);
  LimbChange change;
  change.collar_turn = Vec3(0.0, 0.0, 0.1);
  const auto after = figure.changed(0, change);
  const MovableLimb& limb = figure.limbs[0];
  const Quat turn =
      rotationOf(at(after, limb.collar)) * glm::conjugate(rotationOf(at(before, limb.collar)));
  CHECK(angleBetween(kIdentityRotation, turn) == doctest::Approx(0.1));
  const Vec3 root = at(before, limb.collar).translation;
  CHECK(distance(at(after, limb.end).translation,
                 root + turn * (at(before, limb.end).translation - root)) < 1e-9);
  const LimbPoser poser(figure.human.scene, figure.map, figure.limbs);
  std::vector<Transform> pose = figure.locals;
  poser.apply(0, kNoChange, before, pose);
  CHECK(pose == figure.locals);
}

TEST_CASE("rotation vectors lead there and back") {
  for (const Vec3& v : {Vec3(0.0), Vec3(0.3, -0.2, 0.1), Vec3(0.0, 3.0, 0.0)}) {
    CHECK(distance(vectorOfRotation(rotationOfVector(v)), v) < 1e-12);
  }
}

TEST_CASE(
    "the jerk of a turn with constant speed is 0, and that of a swing is its third derivative") {
  constexpr double kRate = 120.0, kSpeed = 3.0, kSwing = 0.4;
  std::vector<Quat> steady, swing;
  for (int i = 0; i <= 480; ++i) {
    const double time_s = i / kRate;
    steady.push_back(rotationAbout(Vec3(0, 1, 0), 2.0 * time_s));
    swing.push_back(rotationAbout(Vec3(1, 0, 0), kSwing * std::sin(kSpeed * time_s)));
  }
  CHECK(rmsJerk_radps3(steady, kRate) < 1e-6);
  // d3/dt3 of a sin(w t) is -a w^3 cos(w t); 12 radians are nearly four half waves.
  CHECK(rmsJerk_radps3(swing, kRate) ==
        doctest::Approx(kSwing * kSpeed * kSpeed * kSpeed / std::sqrt(2.0)).epsilon(0.03));
  CHECK(rmsJerk_radps3(std::span(swing).first(3), kRate) == 0.0);
}
