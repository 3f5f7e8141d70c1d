// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/limb_pose.h"

#include <array>
#include <cmath>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "human_scene.h"

TEST_SUITE_BEGIN("self_collision.limb_pose");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::self_collision;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;

namespace {

HumanoidMap mapOf(const HumanScene& human) {
  HumanoidMap map;
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) map.nodes[i] = human.nodes[i];
  return map;
}

// A character with bent elbows and knees, rotated as a whole so that no axis is a world axis.
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
    locals[toSize(human.at(role))].rotation = rotationAbout(axis, angle);
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

const Affine& at(const std::vector<Affine>& worlds, int node) { return worlds[toSize(node)]; }

}  // namespace

TEST_CASE("a character has two arms with clavicles and two legs, each from the body outwards") {
  const Bent character;
  REQUIRE(character.limbs.size() == 4);
  CHECK(character.limbs[0].name == "left arm");
  CHECK(character.limbs[0].joints().size() == 4);
  CHECK(character.limbs[3].name == "right leg");
  CHECK(character.limbs[3].is_leg);
  CHECK(character.limbs[3].joints().size() == 3);
  HumanoidMap armless = character.map;
  armless.nodes[toSize(HumanoidRole::kLeftHand)] = -1;
  // An arm without a hand ends at its elbow and takes no shift.
  const auto without_hand = movableLimbs(character.human.scene.skeleton, armless);
  REQUIRE(without_hand.size() == 4);
  CHECK_FALSE(without_hand[0].hasEnd());
  CHECK(without_hand[0].joints().size() == 3);
  std::swap(armless.nodes[toSize(HumanoidRole::kRightHand)],
            armless.nodes[toSize(HumanoidRole::kRightUpperArm)]);
  CHECK(movableLimbs(character.human.scene.skeleton, armless).size() == 3);
}

TEST_CASE("a swivel moves the elbow about the line from shoulder to wrist and leaves the hand") {
  for (const double metres_per_unit : {1.0, 0.01}) {
    const Bent character(metres_per_unit);
    const auto before = character.worldsOf(character.locals);
    LimbChange change;
    change.swivel = 0.5;
    for (std::size_t i = 0; i < 4; ++i) {
      const MovableLimb& limb = character.limbs[i];
      const auto after = character.changed(i, change);
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
  const Bent character;
  const auto before = character.worldsOf(character.locals);
  const LimbPoser poser(character.human.scene, character.map, character.limbs);
  LimbChange change;
  change.shift = Vec3(-0.05, 0.04, 0.02);
  for (std::size_t i = 0; i < 4; ++i) {
    const MovableLimb& limb = character.limbs[i];
    const auto after = character.changed(i, change);
    const double length =
        glm::distance(at(before, limb.upper).translation, at(before, limb.lower).translation) +
        glm::distance(at(before, limb.lower).translation, at(before, limb.end).translation);
    const Vec3 wanted =
        at(before, limb.end).translation + *poser.axesOf(i, before) * change.shift * length;
    CHECK(distance(at(after, limb.end).translation, wanted) < 1e-9);
    CHECK(distance(rotationOf(at(before, limb.end)), rotationOf(at(after, limb.end))) < 1e-7);
  }
}

TEST_CASE("a rotation moves the rigid limb; the hand follows and the foot does not tilt") {
  const Bent character;
  const auto before = character.worldsOf(character.locals);
  const LimbPoser poser(character.human.scene, character.map, character.limbs);
  LimbChange change;
  change.rotation = Vec3(0.0, 0.2, 0.3);
  for (std::size_t i = 0; i < 4; ++i) {
    const MovableLimb& limb = character.limbs[i];
    const auto after = character.changed(i, change);
    const Quat rotation = rotationOfVector(*poser.axesOf(i, before) * change.rotation);
    const Vec3 root = at(before, limb.upper).translation;
    CHECK(distance(at(after, limb.end).translation,
                   root + rotation * (at(before, limb.end).translation - root)) < 1e-9);
    const Quat end = rotationOf(at(before, limb.end));
    CHECK(distance(rotationOf(at(after, limb.end)), limb.is_leg ? end : rotation * end) < 1e-7);
  }
}

TEST_CASE("a clavicle moves its arm, and no change writes nothing") {
  const Bent character;
  const auto before = character.worldsOf(character.locals);
  LimbChange change;
  change.clavicle_rotation = Vec3(0.0, 0.0, 0.1);
  const auto after = character.changed(0, change);
  const MovableLimb& limb = character.limbs[0];
  const Quat rotation =
      rotationOf(at(after, limb.clavicle)) * glm::conjugate(rotationOf(at(before, limb.clavicle)));
  CHECK(angleBetween(kIdentityRotation, rotation) == doctest::Approx(0.1));
  const Vec3 root = at(before, limb.clavicle).translation;
  CHECK(distance(at(after, limb.end).translation,
                 root + rotation * (at(before, limb.end).translation - root)) < 1e-9);
  const LimbPoser poser(character.human.scene, character.map, character.limbs);
  std::vector<Transform> pose = character.locals;
  poser.apply(0, kNoChange, before, pose);
  CHECK(pose == character.locals);
}

TEST_CASE("rotation vectors lead there and back") {
  for (const Vec3& v : {Vec3(0.0), Vec3(0.3, -0.2, 0.1), Vec3(0.0, 3.0, 0.0)}) {
    CHECK(distance(vectorOfRotation(rotationOfVector(v)), v) < 1e-12);
  }
}

TEST_CASE("a grip change moves both hands as one rigid body about the midpoint of the wrists") {
  const Bent character;
  const auto before = character.worldsOf(character.locals);
  const LimbPoser poser(character.human.scene, character.map, character.limbs);
  LimbChange change;
  change.grip_rotation = Vec3(0.1, -0.15, 0.05);
  change.grip_shift = Vec3(0.02, 0.05, -0.04);
  std::vector<Transform> pose = character.locals;
  for (const std::size_t arm : {0u, 1u}) {
    LimbChange with_swivel = change;
    with_swivel.swivel = arm == 0 ? 0.3 : -0.1;
    poser.apply(arm, with_swivel, before, pose);
  }
  const auto after = character.worldsOf(pose);
  const int left = character.limbs[0].end, right = character.limbs[1].end;
  const Mat3 axes = *poser.axesOf(0, before);
  const Vec3 axis = axes * change.grip_rotation;
  const Quat rotation = rotationAbout(glm::normalize(axis), glm::length(axis));
  const Vec3 pivot = 0.5 * (at(before, left).translation + at(before, right).translation);
  const Vec3 upper = at(before, character.limbs[0].lower).translation -
                     at(before, character.limbs[0].upper).translation;
  const Vec3 lower =
      at(before, left).translation - at(before, character.limbs[0].lower).translation;
  const Vec3 shift = axes * change.grip_shift * (glm::length(upper) + glm::length(lower));
  for (const int hand : {left, right}) {
    const Vec3 wanted = pivot + rotation * (at(before, hand).translation - pivot) + shift;
    CHECK(distance(at(after, hand).translation, wanted) < 1e-9);
    CHECK(distance(rotationOf(at(after, hand)), rotation * rotationOf(at(before, hand))) < 1e-7);
  }
}

TEST_CASE("a pitch rotates both rigid arms about the line through the shoulders") {
  const Bent character;
  const auto before = character.worldsOf(character.locals);
  const LimbPoser poser(character.human.scene, character.map, character.limbs);
  LimbChange change;
  change.pitch = 0.6;
  std::vector<Transform> pose = character.locals;
  for (const std::size_t arm : {0u, 1u}) poser.apply(arm, change, before, pose);
  const auto after = character.worldsOf(pose);
  const Vec3 left = at(before, character.limbs[0].upper).translation,
             right = at(before, character.limbs[1].upper).translation;
  const Quat rotation = rotationAbout(glm::normalize(right - left), 0.6);
  for (const std::size_t arm : {0u, 1u}) {
    const MovableLimb& limb = character.limbs[arm];
    for (const int joint : {limb.lower, limb.end}) {
      const Vec3 wanted = left + rotation * (at(before, joint).translation - left);
      CHECK(distance(at(after, joint).translation, wanted) < 1e-9);
      CHECK(distance(rotationOf(at(after, joint)), rotation * rotationOf(at(before, joint))) <
            1e-7);
      // Elbow and wrist keep their rotations, and with them their jerk.
      CHECK(distance(pose[toSize(joint)].rotation, character.locals[toSize(joint)].rotation) <
            1e-9);
    }
  }
  // Hands in front of the body rise.
  const Mat3 axes = *poser.axesOf(0, before);
  const Vec3 forward = left + axes[2];
  CHECK(glm::dot(transformPoint(poser.pitchMotion(change, before), forward) - forward, axes[1]) >
        0.5);
  // After a pitch the grip rotates about the pitched midpoint of the wrists.
  change.grip_rotation = Vec3(0.05, -0.08, 0.03);
  change.grip_shift = Vec3(0.0, 0.03, -0.02);
  pose = character.locals;
  for (const std::size_t arm : {0u, 1u}) poser.apply(arm, change, before, pose);
  const auto moved = character.worldsOf(pose);
  const Affine motion = poser.gripMotion(change, axes, before);
  for (const std::size_t arm : {0u, 1u}) {
    const int hand = character.limbs[arm].end;
    CHECK(distance(at(moved, hand).translation,
                   transformPoint(motion, at(before, hand).translation)) < 1e-9);
    CHECK(distance(rotationOf(at(moved, hand)), rotationOf(motion) * rotationOf(at(before, hand))) <
          1e-7);
  }
}
